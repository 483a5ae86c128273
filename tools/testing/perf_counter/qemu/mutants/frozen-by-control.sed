# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# Version 4 freezes as version 2.
s/if (pmu_version(env) >= 4) {/if (pmu_version(env) >= 6) {/
