# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/pmu-translate.c.inc
# caught by: power9
# SDAR has only what helpers access.
s/gen_pmu_addr(temp_tcgv_i64.*/(void)pair;/
