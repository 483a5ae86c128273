# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=intel-v4
# A write of 32 bits leaves the others zero.
s/val = (int32_t)val;/val = (uint32_t)val;/
