/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names the stubs through which a file calls functions of libraries.
 */
#ifndef PERF_SYMBOL_ELF_PLT_H
#define PERF_SYMBOL_ELF_PLT_H

#include "symbol_table.h"

struct Elf;

void elf_plt_add(struct symbol_table *table, struct Elf *elf);

#endif
