# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/lbr.c
# caught by: sleep
# The entries survive a sleep.
s/if (env_archcpu(env)->lbr_sleep_clears) {/if (false) {/
