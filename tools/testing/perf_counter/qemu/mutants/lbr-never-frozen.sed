# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/lbr.c
# caught by: bare=amd-v2
# No record is frozen.
s/^    if (!(env->pmu.debugctl \& DEBUGCTL_FREEZE_LBRS)) {/    if (true) {/
