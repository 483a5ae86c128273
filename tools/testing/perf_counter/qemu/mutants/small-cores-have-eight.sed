# SPDX-License-Identifier: GPL-2.0
# file: target/i386/cpu.c
# caught by: bare=alderlake
# CPUID tells of all that the large cores have.
s/MIN(cpu->pmu_num_gp, TCG_PMU_SMALL_GP)/cpu->pmu_num_gp/
