# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/pmu-translate.c.inc
# caught by: power9
# A block begins as long as anything is left.
s/need\[i\] = MAX(total\[i\], 1);/need[i] = 1;/
