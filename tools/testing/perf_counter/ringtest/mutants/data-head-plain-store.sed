# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# data_head goes back when an interrupted publisher shows what it had published.
/^static __always_inline void ring_show/,/^}/{
/^	do {$/,/^	} while/c\
	shim_step(shared, SHIM_STORE);\
	__atomic_store_n(shared, negative ? -end : end, __ATOMIC_RELEASE);
}
