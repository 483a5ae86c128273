# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# FC14 freezes PMC5 and PMC6, too.
s/i < PMC5 ? MMCR0_FC14 : MMCR0_FC56/MMCR0_FC14/
