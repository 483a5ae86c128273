# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/pmu-translate.c.inc
# caught by: irqs-off
# CLI does not end its block: the clock has the rest of it.
/^static void gen_pmu_flags_written/,/^}/s/translator_io_start(&s->base);//
