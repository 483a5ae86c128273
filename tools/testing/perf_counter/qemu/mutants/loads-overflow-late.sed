# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/pmu-translate.c.inc
# caught by: bare=intel-v4
# A block may go on after the last load that is left.
s/need\[X86_PMU_LOADS\]++;/;/
