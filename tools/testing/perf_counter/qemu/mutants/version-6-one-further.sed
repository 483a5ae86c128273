# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v6
# A number of version 6 is that of the next counter.
s/\*index = offset \/ IA32_PMC_STEP;/*index = offset \/ IA32_PMC_STEP + 1;/
