# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/lbr.c
# caught by: bare=haswell
# A debug exception does not switch off the older LBR.
s/lbr_type(env) == X86_LBR_MODEL \&\& (env->pmu.debugctl \& DEBUGCTL_LBR)/false/
