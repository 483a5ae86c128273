# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# FCS is the hypervisor's.
s/mmcr0 & (hv ? MMCR0_FCH : MMCR0_FCS)/mmcr0 \& (hv ? MMCR0_FCS : MMCR0_FCH)/
