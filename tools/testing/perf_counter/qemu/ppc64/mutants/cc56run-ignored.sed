# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# PMC5 and PMC6 stop with the run latch.
s/pmu_running(env) || env->spr\[SPR_POWER_MMCR0\] & MMCR0_CC56RUN ?/pmu_running(env) ?/
