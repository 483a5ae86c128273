# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# What a fault leaves unexecuted stays counted.
s/env->pmu.left\[i\] += rest\[i\];/rest[i] = 0;/
