# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/lbr.c
# caught by: bare=sapphirerapids
# A far branch that overflows is not recorded.
s/if (!s->far_on ||/if (!s->on ||/
