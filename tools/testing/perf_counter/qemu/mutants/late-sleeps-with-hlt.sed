# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: nasty
# HLT does not wait for a late interrupt.
/^void x86_pmu_halt/,/^}/ s/env->pmu.due\[i\] = -1;/;/
