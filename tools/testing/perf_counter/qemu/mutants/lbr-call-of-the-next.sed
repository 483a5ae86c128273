# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/lbr.c
# caught by: bare=sapphirerapids
# In call-stack mode a call of the next instruction is pushed.
s/if (zero_length ||/if (/
