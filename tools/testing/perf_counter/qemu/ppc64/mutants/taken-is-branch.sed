# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# Every branch is taken.
s/0xfa, 0, PPC_PMU_TAKEN }/0xfa, 0, PPC_PMU_BRANCHES }/
