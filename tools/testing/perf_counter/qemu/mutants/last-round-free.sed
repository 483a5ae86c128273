# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/pmu-translate.c.inc
# caught by: bare
# The optimized REP takes a cycle less: only single steps show it.
s/gen_pmu_add(s, X86_PMU_CYCLES, -1);/gen_pmu_add(s, X86_PMU_CYCLES, 0);/
