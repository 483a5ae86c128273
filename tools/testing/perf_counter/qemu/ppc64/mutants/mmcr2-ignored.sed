# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# MMCR2 freezes nothing.
s/return mmcr2 &/return false \&\& mmcr2 \&/
