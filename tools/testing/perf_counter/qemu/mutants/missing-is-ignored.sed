# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# A register of another model is ignored.
s/return reg == PMU_REG_NONE && pmu_is_known(env, msr) ?/return false ?/
