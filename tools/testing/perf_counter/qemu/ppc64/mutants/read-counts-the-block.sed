# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# MFSPR sees the block as done.
s/ - rest\[source\];/;/
