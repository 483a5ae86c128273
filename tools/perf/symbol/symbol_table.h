/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of one file by address.
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
 * @end: first address after the range
 * @reach: largest @end of this symbol and all symbols before it
 * @name: name in the file
 * @shown: name to show; symbol_name() makes it
 * @order: number of symbols that were added before this one, plus 1
 * @binding: enum symbol_binding; decides between several names for an address
 * @sized: true if the file has the size of the function
 * @inlined: true for a function that is inlined in another one, which has the addresses; @name is
 *	interned then
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
	bool inlined;
};

struct symbol_table {
	struct symbol *symbols;
	size_t nr;
	size_t room;
};

void symbol_table_take(struct symbol_table *table, uint64_t start, uint64_t size, char *name,
		       enum symbol_binding binding);
void symbol_table_add(struct symbol_table *table, uint64_t start, uint64_t size,
		      const char *name, enum symbol_binding binding);
void symbol_table_finish(struct symbol_table *table);
struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t addr);
const char *symbol_name(struct symbol *symbol);
const char *symbol_suffix(const struct symbol *symbol);
void symbol_table_free(struct symbol_table *table);

#endif
