# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# Publishes what is reserved, whether or not it is committed.
s/end = ring_run_end(ring, published);/end = atomic64_read(\&ring->head);/
