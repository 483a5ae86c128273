# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# Whoever is told last moves the mark, even to where it had been before.
/^bool perf_counter_ring_mark/,/^}/{
s/^	while (mark.*/	shim_step(\&ring->wake_mark, SHIM_STORE);/
/wake_mark, SHIM_STORE/,/^}/s/^		;/	__atomic_store_n(\&ring->wake_mark.counter, mark < published ? published : mark, __ATOMIC_RELAXED);/
}
