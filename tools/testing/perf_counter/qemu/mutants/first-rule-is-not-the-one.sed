# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: nasty
# An exception for a unit mask does not come before its event.
s/^    { 0x04a3, 0x04a3, true, 0xff }, { 0x10a3, 0x10a3, true, 0xff },/    { 0xa3, 0xa3, false, 0xf },/
