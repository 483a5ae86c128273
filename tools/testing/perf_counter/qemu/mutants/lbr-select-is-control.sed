# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/lbr.c
# caught by: bare=skylake
# LBR_SELECT chooses what is recorded.
s/return !(env->lbr.ctl \& BIT_ULL(lbr_branches\[branch\].select));/return env->lbr.ctl \& BIT_ULL(lbr_branches[branch].select);/
