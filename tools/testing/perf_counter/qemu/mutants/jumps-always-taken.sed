# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/pmu-translate.c.inc
# caught by: bare=intel-v4
# A conditional branch that is not taken counts as one that is.
s/if (s->pmu_branch == X86_PMU_CONDITIONAL_JUMP) {/if (false) {/
