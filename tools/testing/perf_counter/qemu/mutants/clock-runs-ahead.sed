# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/sysemu/pmu.c
# caught by: bare=intel-v4
# Blocks that do not start stay in the instruction clock.
/icount_decr.u16.low += num_insns;/d
