# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/excp_helper.c
# caught by: bare=intel-v4
# The fault of the next instruction overtakes the overflow.
s/if (access_type == MMU_INST_FETCH \&\& x86_pmu_overflow_due(env)) {/if (false) {/
