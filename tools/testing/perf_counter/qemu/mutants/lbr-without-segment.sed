# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/lbr.c
# caught by: bare=sapphirerapids
# An address does not have its segment's base.
s/eip + env->segs\[R_CS\].base);/eip);/
