# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=amd-core
# The old addresses lead to the next counter.
s/\*index = msr - MSR_K7_EVNTSEL0;/*index = (msr - MSR_K7_EVNTSEL0 + 1) \& 3;/
