# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: nasty
# An interrupt that comes again does so for ever.
s/if (i == X86_PMU_DUE_LATE) {/if (true) {/
