# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/pmu-translate.c.inc
# caught by: bare=intel-v4
# An instruction that is refused as it is decoded counts.
s/s->pmu_fault = true;/s->pmu_fault = false;/
