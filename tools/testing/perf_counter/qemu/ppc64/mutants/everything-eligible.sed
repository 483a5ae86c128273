# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# Every instruction is eligible.
s/int eligible = .*/int eligible = 0;/
