# SPDX-License-Identifier: GPL-2.0
# file: target/i386/cpu-pmu.h
# caught by: bare=amd-v2
# Every branch is a conditional one.
s/return branch == X86_PMU_CONDITIONAL_JUMP;/return branch != X86_PMU_NO_BRANCH;/
