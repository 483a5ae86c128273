# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# Combined events are the first.
/^static bool pmu_combines/,/^}/s/return .*/return false;/
