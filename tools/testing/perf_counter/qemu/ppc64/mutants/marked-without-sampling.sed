# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# Instructions are marked always.
s/if (!(mmcra & MMCRA_SAMPLE)) {/if (false) {/
