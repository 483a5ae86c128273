# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: nasty
# Each counter of family 15h counts every event.
s/return pmu_f15h_counters(evtsel) & (1 << i);/return true;/
