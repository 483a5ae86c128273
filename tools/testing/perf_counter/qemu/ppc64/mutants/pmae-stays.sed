# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# An alert does not clear PMAE.
s/env->spr\[SPR_POWER_MMCR0\] &= ~MMCR0_PMAE;/;/
