# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# RDPMC and RDMSR see the block as done.
s/env->pmu.left\[i\] - counted\[i\];/env->pmu.left[i];/
