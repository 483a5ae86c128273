# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# SIAR has the instruction that is next.
s/env->spr\[SPR_POWER_SIAR\] = env->pmu.insn;/env->spr[SPR_POWER_SIAR] = env->nip;/
