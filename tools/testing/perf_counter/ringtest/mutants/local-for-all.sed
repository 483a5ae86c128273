# SPDX-License-Identifier: GPL-2.0
# caught by: ringtest --mode shared --signals 0
# The exchanges of one CPU, for many.
s/^	ring->local = .*/	ring->local = true;/
