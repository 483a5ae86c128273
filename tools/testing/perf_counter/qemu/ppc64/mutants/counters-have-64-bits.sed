# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# A counter goes on behind its 32 bits.
s/env->spr\[PMC(i)\] = (uint32_t)(/env->spr[PMC(i)] = (/
