# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/misc_helper.c
# caught by: bare=intel-v4
# HLT does not see its own overflow.
s/if (x86_pmu_overflow_due(env)) {/if (false) {/
