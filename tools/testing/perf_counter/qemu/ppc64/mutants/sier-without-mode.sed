# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# SIER does not tell of user mode.
s/sier |= SIER_SIPR;/;/
