# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# A sample that was published meanwhile moves the mark, even to where it had been before.
/^static bool ring_ask/,/^}/s/^	ring_raise(&ring->wake_mark, published, local);/	mark = atomic64_read(\&ring->wake_mark);\
	shim_step(\&ring->wake_mark, SHIM_STORE);\
	__atomic_store_n(\&ring->wake_mark.counter, mark < (s64)published ? published : (u64)mark, __ATOMIC_RELAXED);/
/^static bool ring_ask/,/^}/s/^	u64 published;/	u64 published;\
	s64 mark;/
