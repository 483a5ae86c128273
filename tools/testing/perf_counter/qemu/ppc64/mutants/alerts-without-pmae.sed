# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# PMAE is always set.
s/if (env->spr\[SPR_POWER_MMCR0\] & MMCR0_PMAE) {/if (true) {/
