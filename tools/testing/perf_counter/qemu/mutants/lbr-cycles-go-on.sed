# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/lbr.c
# caught by: bare=skylake
# The cycles of a record are all since the first.
s/env->lbr.cycles = -pending;/env->lbr.cycles = cycles - pending;/
