# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/emit.c.inc
# caught by: nasty
# An NMI with an access comes behind its block.
s/if (s->pmu_nmi_at) {/if (false) {/
