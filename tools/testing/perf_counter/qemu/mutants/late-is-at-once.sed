# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: nasty
# No interrupt is late.
s/env_archcpu(env)->pmu_pmi_late ?: -1;/-1;/
