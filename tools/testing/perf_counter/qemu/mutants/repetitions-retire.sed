# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/pmu-translate.c.inc
# caught by: bare=intel-v4
# Each round of REP is an instruction.
/gen_pmu_add(s, X86_PMU_INSNS, 1);/d
