# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/translate.c
# caught by: bare=zen4
# A conditional branch that is not taken is recorded.
s/^    gen_pmu_not_taken(s);/& gen_lbr_branch_rel(s, s->dflag, diff);/
