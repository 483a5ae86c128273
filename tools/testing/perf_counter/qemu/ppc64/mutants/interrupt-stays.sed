# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# PMAO that is cleared interrupts.
s/if (alert == pending) {/if (!alert || pending) {/
