# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/lbr.c
# caught by: bare=icelake
# Cycles that do not fit are cut.
s/return MIN(cycles, INFO_MAX_CYCLES);/return cycles \& INFO_MAX_CYCLES;/
