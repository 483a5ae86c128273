# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# PMC1CE is every counter's.
s/i == 0 ? MMCR0_PMC1CE : MMCR0_PMCjCE/MMCR0_PMC1CE/
