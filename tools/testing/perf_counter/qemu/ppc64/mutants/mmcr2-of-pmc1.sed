# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# All counters have the bits of PMC1.
s/pmu_frozen_by_mmcr2(env, i)) {/pmu_frozen_by_mmcr2(env, 0)) {/
