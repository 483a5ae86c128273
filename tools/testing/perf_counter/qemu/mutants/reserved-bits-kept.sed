# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# A write of reserved bits is accepted.
s/} else if (val \& ~pmu_allowed_bits(env, reg)) {/} else if (false) {/
