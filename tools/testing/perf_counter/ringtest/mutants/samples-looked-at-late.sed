# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode sleeping
# Whether a sample is behind an open record is found out after it was counted: the sample
# that completes the count does not know.
/^bool perf_counter_ring_sample/,/^}/{
/^	if (unlikely((u64)atomic64_read(&ring->published) < end))/,+1d
s/^	if (next)/	if (unlikely((u64)atomic64_read(\&ring->published) < end))\
		ring_raise(\&ring->held_back, end, local);\
	if (next)/
}
