# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/lbr.c
# caught by: bare=nehalem
# The flag of FROM is the sign of the address.
s/entry.from = extract64(from, 0, 63);/entry.from = from;/
