# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/pmu-translate.c.inc
# caught by: power9
# What stores in a helper is no store.
s/pmu_note_access(ctx, PMU_KIND_STORE, addr);/pmu_note_access(ctx, PMU_KIND_NONE, addr);/
