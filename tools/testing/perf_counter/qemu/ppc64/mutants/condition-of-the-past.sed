# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# A counter that is negative already is no condition.
/env->spr\[sprn\] = value;/{n;s/pmu_check_condition(env);/;/}
