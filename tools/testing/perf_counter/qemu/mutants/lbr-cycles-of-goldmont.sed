# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/lbr.c
# caught by: bare=goldmont
# The cycles in TO begin a bit too low.
s/^#define TO_CYCLES_SHIFT         48/#define TO_CYCLES_SHIFT         47/
