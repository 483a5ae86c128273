# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# No branch is filtered.
s/filters\[(mmcra & MMCRA_IFM_MASK) >> MMCRA_IFM_SHIFT\]/filters[mmcra \& 0]/
