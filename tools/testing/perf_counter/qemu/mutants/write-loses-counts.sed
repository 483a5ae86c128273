# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# WRMSR starts from what was counted at the last update.
/WRMSR ends its block/,/switch (reg)/s/^    pmu_update(env);/    memcpy(env->pmu.left, env->pmu.budget, sizeof(env->pmu.left));/
