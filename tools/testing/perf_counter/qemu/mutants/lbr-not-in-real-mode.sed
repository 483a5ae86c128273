# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/emit.c.inc
# caught by: bare=nehalem
# A far return in real mode is not recorded.
/^        gen_lbr_far_end(s);/d
