# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# Publishes what is reserved, whether or not it is committed.
s/run_end = published == pos ? end : ring_run_end(ring, published);/run_end = atomic64_read(\&ring->head);/
