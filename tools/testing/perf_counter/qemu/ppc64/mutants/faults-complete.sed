# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/pmu-translate.c.inc
# caught by: power9
# An instruction that is known to fault counts.
/^static void pmu_note_fault/,/^}/s/true/false/
