# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# Everything happens in kernel mode.
s/env->pmu.mode = pmu_mode(env);/env->pmu.mode = 0;/
