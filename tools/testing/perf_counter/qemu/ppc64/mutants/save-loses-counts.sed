# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: migration
# What was counted since the last update is not saved.
/^void ppc_pmu_pre_save/,/^}/s/pmu_accumulate(env);/;/
