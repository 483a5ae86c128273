# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/cpu_init.h
# caught by: power9
# POWER9 has no branch records.
s/POWERPC_FLAG_TM | POWERPC_FLAG_BHRB/POWERPC_FLAG_TM/
