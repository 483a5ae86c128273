# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/helper_regs.c
# caught by: power9
# FCP does not stop the records.
s/} else if (fcp && pr) {/} else if (false \&\& fcp) {/
