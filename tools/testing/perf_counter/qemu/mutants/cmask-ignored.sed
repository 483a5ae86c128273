# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# Every threshold is none.
s/} else if (cmask == 0) {/} else if (cmask >= 0) {/
