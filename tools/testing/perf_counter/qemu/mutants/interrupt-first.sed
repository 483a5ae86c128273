# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/seg_helper.c
# caught by: bare=intel-v4
# A pending interrupt overtakes the overflow.
s/if (x86_pmu_overflow_due(env)) {/if (false) {/
