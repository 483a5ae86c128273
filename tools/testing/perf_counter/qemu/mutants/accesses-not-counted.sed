# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=amd-core
# RDPMC is not among the accesses.
/pmu_count_access(env, X86_PMU_ACCESS_RDPMC);/d
