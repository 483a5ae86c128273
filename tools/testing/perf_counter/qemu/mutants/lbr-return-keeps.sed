# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/lbr.c
# caught by: bare=haswell
# A return leaves the call where it is.
/s->entries\[s->top\] = (LBREntry) { };/d
