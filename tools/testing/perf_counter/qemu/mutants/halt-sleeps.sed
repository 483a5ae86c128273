# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# HLT does not see its own overflow.
/^void x86_pmu_halt/,/^}/s/if (x86_pmu_overflow_due(env)) {/if (false) {/
