# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/sysemu/pmu.c
# caught by: bare=intel-v4
# A counter runs when its event select says so.
s/enabled \&= env->msr_global_ctrl;/;/
