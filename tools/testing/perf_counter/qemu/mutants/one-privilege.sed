# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# Everything counts as kernel mode.
s/env->pmu.user = (env->hflags \& HF_CPL_MASK) != 0;/env->pmu.user = false;/
