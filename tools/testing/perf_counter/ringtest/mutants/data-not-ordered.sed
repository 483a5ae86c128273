# SPDX-License-Identifier: GPL-2.0
# caught by: ringtest-tsan --mode shared
# Nothing orders the record's bytes before its bits.
/^static __always_inline bool ring_commit/,/^}/s/^	smp_mb__before_atomic();/	;/
