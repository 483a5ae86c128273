# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# The bits of a record's first word before those of the others: a run ends inside
# of the record.
/^static __always_inline void ring_flip(/,/^}/{
s/^	if (unlikely(first + nr > RING_SLOTS_PER_WORD))/	ring_xor((~0ULL >> (RING_SLOTS_PER_WORD - min(nr, RING_SLOTS_PER_WORD - first))) << first,\
		 ring_word(ring, pos), local);\
&/
/^	ring_xor((~0ULL >> (RING_SLOTS_PER_WORD - nr))/d
}
