# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/pmu-translate.c.inc
# caught by: power9
# DCBF is a load.
s/pmu_note_kind(ctx, PMU_KIND_NONE);/;/
