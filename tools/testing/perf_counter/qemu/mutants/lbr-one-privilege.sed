# SPDX-License-Identifier: GPL-2.0
# file: target/i386/cpu.h
# caught by: bare=alderlake
# Blocks record as at the last change of a register.
s/(env->pmu.num_active || env->lbr.on)/env->pmu.num_active/
