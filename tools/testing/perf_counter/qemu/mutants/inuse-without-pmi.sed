# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# GLOBAL_INUSE does not show INT.
s/inuse |= evtsel \& EVTSEL_INT ? INUSE_PMI : 0;/;/
