# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/pmu-translate.c.inc
# caught by: power9
# MTSPR is not among the accesses.
s/gen_pmu_access(ctx, sprn, PPC_PMU_ACCESS_MTSPR);/;/
