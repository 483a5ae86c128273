# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# Edges are levels.
s/if (evtsel \& EVTSEL_EDGE) {/if (false) {/
