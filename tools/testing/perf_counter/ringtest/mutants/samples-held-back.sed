# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode sleeping
# The sample that completes the count asks for its own end alone, and not for the others'
# that were counted and are behind an open record.
/^bool perf_counter_ring_sample/,/^}/s/max(end, held_back)/end/
