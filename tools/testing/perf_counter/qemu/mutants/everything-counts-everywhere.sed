# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: nasty
# Each counter counts every event.
s/return c->counters \& (1 << i);/return true;/
