# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode sleeping
# Counting and starting again are two exchanges, and each sample asks for its own end: one
# that is counted between the two is taken off the count and not asked for.
/^bool perf_counter_ring_sample/,/^}/{
s/max(end, held_back)/end/
/^	do {/,/^	} while/c\
	do {\
		next = samples + 1;\
	} while (!ring_advance(\&ring->samples, \&samples, next, local));\
	if (next < wakeup_events || !ring_advance(\&ring->samples, \&next, 0, local))\
		return false;\
	next = 0;
}
