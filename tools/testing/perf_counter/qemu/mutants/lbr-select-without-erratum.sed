# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/lbr.c
# caught by: bare=nehalem
# Calls are recorded whatever jumps are.
s/if (!env_archcpu(env)->lbr_select_erratum) {/if (true) {/
