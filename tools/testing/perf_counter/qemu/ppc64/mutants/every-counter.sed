# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# PMC1 to PMC4 have all events.
s/(!event->pmc || event->pmc == i + 1)/true/
