# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# A threshold is never inverted.
s/} else if (!(evtsel \& EVTSEL_INV)) {/} else if (true) {/
