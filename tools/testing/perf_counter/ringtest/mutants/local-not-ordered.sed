# SPDX-License-Identifier: GPL-2.0
# caught by: ringtest-tsan --mode local
# Nothing orders the record's bytes before data_head, in a ring that one CPU writes.
/A local exchange orders nothing/,/smp_wmb/s/smp_wmb();/;/
