# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# FCPC means nothing.
s/if (mmcr0 & MMCR0_FCPC) {/if (false) {/
