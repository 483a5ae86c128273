# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: nasty
# No interrupt comes again.
s/env->pmu.due\[X86_PMU_DUE_AGAIN\] = env_archcpu(env)->pmu_pmi_again;/;/
