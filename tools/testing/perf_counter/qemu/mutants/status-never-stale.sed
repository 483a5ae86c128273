# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: nasty
# No status bit without an overflow.
s/if (any \&\& env_archcpu(env)->pmu_stale_status) {/if (0) {/
