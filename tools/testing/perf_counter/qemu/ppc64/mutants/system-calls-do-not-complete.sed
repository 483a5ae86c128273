# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/pmu-translate.c.inc
# caught by: power9
# SC does not count.
/^static void pmu_note_no_fault/,/^}/s/false/true/
