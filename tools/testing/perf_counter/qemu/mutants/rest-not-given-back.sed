# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# What a fault leaves unexecuted stays counted.
s/env->pmu.left\[i\] += rest\[i\];/rest[i] = 0;/
