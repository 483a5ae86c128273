# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: nasty
# Accesses of an NMI handler count for pmu-nmi-at.
s/(env->hflags2 & HF2_NMI_MASK) ||/false ||/
