/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of one file, by address.
 */
#ifndef PERF_SYMBOL_SYMBOL_TABLE_H
#define PERF_SYMBOL_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum symbol_binding {
	SYMBOL_WEAK,
	SYMBOL_LOCAL,
	SYMBOL_GLOBAL,
};

/**
 * struct symbol - a function: the addresses [@start, @end)
 * @start: first address
 * @end: behind the last address
 * @reach: largest @end of this and all symbols before it
 * @name: as the file has it
 * @shown: demangled; made when first asked for
 * @order: how many were added before it
 * @binding: weighs when several have the same address
 * @sized: @end comes from the file
 */
struct symbol {
	uint64_t start;
	uint64_t end;
	uint64_t reach;
	char *name;
	char *shown;
	uint32_t order;
	uint8_t binding;
	bool sized;
};

struct symbol_table {
	struct symbol *symbols;
	size_t nr;
	size_t room;
};

void symbol_table_add(struct symbol_table *table, uint64_t start, uint64_t size,
		      const char *name, enum symbol_binding binding);
void symbol_table_finish(struct symbol_table *table);
struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t addr);
const char *symbol_name(struct symbol *symbol);
void symbol_table_free(struct symbol_table *table);

#endif
