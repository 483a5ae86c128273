# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/pmu-translate.c.inc
# caught by: bare=zen4
# An indirect jump is a direct one.
s/gen_JMP_m, X86_PMU_INDIRECT_JUMP/gen_JMP_m, X86_PMU_JUMP/
