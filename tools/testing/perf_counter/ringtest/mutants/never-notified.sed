# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# The mark is moved, and nobody told.
s/^			notify = true;/			notify = false;/
