# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# An overflow is not in the status register.
s/env->msr_global_status |= BIT_ULL(c->index);/;/
