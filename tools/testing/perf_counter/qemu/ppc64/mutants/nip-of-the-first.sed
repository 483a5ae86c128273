# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/pmu-translate.c.inc
# caught by: power9
# A block that does not start says nothing of where it is.
s/gen_update_nip(ctx, ctx->base.pc_first);/;/
