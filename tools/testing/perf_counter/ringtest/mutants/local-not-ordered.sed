# SPDX-License-Identifier: GPL-2.0
# caught by: ringtest-tsan --mode local
# Nothing orders the record's bytes before data_head, in a ring that one CPU writes.
/^static __always_inline bool ring_published/,/^}/s/smp_wmb();/;/
