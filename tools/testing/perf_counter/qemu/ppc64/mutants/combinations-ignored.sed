# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# Combined events are the first.
s/extract64(mmcr1, 35 - i, 1)/mmcr1 \& 0/; s/extract64(mmcr1, 38 - 2 \* i, 2)/mmcr1 \& 0/
