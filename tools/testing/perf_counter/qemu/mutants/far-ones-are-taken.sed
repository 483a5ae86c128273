# SPDX-License-Identifier: GPL-2.0
# file: target/i386/cpu-pmu.h
# caught by: bare=amd-core
# Far branches are among the near ones that are taken.
s/return branch != X86_PMU_NO_BRANCH \&\& branch != X86_PMU_FAR_BRANCH;/return branch != X86_PMU_NO_BRANCH;/
