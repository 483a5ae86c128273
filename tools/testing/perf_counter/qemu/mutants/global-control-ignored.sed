# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# A counter runs when its event select says so.
s/enabled \&= env->msr_global_ctrl;/;/
