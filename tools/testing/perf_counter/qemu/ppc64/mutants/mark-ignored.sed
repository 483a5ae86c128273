# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# MSR[PMM] does not freeze.
s/if (mmcr0 & (pmm ? MMCR0_FCM1 : MMCR0_FCM0)) {/if (pmm \&\& false) {/
