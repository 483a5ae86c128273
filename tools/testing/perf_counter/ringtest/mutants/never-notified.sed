# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# The mark is moved, and nobody told.
s/ring_advance(&ring->wake_mark, &mark, end, local);/ring_advance(\&ring->wake_mark, \&mark, end, local) \&\& false;/
