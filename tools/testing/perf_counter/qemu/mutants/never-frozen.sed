# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# No freeze on a PMI.
s/if (IS_INTEL_CPU(env) \&\& (env->pmu.debugctl \& DEBUGCTL_FREEZE_ON_PMI)) {/if (false) {/
