# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# A change of mode is not noticed.
s/pmu_model(env) != PMU_NONE && env->pmu.mode != pmu_mode(env)/false/
