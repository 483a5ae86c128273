# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: migration
# What was counted since the last update is not saved.
/^void x86_pmu_pre_save/,/^}/s/pmu_accumulate(env);/;/
