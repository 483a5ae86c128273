# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/pmu-translate.c.inc
# caught by: power9
# An MTSPR that is an alert does not leave its address.
s/tcg_constant_i64(ctx->cia), tcg_env,/tcg_constant_i64(0), tcg_env,/
