# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/pmu-translate.c.inc
# caught by: power9
# A block may go on after the last store that is left.
s/need\[PPC_PMU_STORES\]++;/;/
