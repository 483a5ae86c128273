# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# Blocks that do not start stay in the instruction clock.
/icount_decr.u16.low += num_insns;/d
