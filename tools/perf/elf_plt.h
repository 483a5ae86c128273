/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names for the stubs through which a file calls functions of others.
 */
#ifndef PERF_ELF_PLT_H
#define PERF_ELF_PLT_H

#include <libelf.h>

#include "symbol_table.h"

void elf_plt_add(struct symbol_table *table, Elf *elf);

#endif
