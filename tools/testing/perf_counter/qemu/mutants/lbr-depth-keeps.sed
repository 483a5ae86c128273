# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/lbr.c
# caught by: bare=sapphirerapids
# A write of LBR_DEPTH leaves the records.
/memset(s->entries/d
