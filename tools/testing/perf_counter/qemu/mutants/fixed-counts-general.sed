# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v5
# Fixed counter 1 counts instructions.
s/X86_PMU_INSNS, X86_PMU_CYCLES, X86_PMU_CYCLES,/X86_PMU_INSNS, X86_PMU_INSNS, X86_PMU_CYCLES,/
