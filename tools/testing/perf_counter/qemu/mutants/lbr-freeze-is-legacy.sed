# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/lbr.c
# caught by: bare=skylake
# Version 4 switches LBR off.
s/env_archcpu(env)->pmu_version < 4/env_archcpu(env)->pmu_version < 6/
