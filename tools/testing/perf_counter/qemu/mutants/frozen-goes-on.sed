# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# CTR_FRZ is only shown.
s/if (env->msr_global_status \& STATUS_CTR_FRZ) {/if (false) {/
