// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of one file by address.
 */
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "demangle.h"
#include "symbol_table.h"

#define PAGE 4096UL

/* Maximum number of symbols that a look-up tries, which bounds the work for crafted files. */
#define OVERLAP_STEPS_MAX 64

/**
 * symbol_table_take() - Add a function, whose name the table frees
 * @table: table
 * @start: first address
 * @size: size in bytes; 0: unknown, the function ends where the next one starts
 * @name: name; allocated by malloc()
 * @binding: binding of the symbol
 */
void symbol_table_take(struct symbol_table *table, uint64_t start, uint64_t size, char *name,
		       enum symbol_binding binding)
{
	struct symbol *symbol;

	if (table->nr == table->room) {
		table->room = table->room ? table->room * 2 : 256;
		table->symbols = xreallocarray(table->symbols, table->room,
					       sizeof(*table->symbols));
	}
	symbol = &table->symbols[table->nr++];
	memset(symbol, 0, sizeof(*symbol));
	symbol->start = start;
	symbol->sized = size && size <= UINT64_MAX - start;
	symbol->end = symbol->sized ? start + size : start;
	symbol->name = name;
	symbol->order = table->nr;
	symbol->binding = binding;
}

/**
 * symbol_table_add() - Add a function
 * @table: table
 * @start: first address
 * @size: size in bytes; 0: unknown, the function ends where the next one starts
 * @name: name; copied
 * @binding: binding of the symbol
 */
void symbol_table_add(struct symbol_table *table, uint64_t start, uint64_t size,
		      const char *name, enum symbol_binding binding)
{
	symbol_table_take(table, start, size, xstrdup(name), binding);
}

/* Compare two names of one address. The name that programmers know best comes first. */
static int compare_names(const struct symbol *a, const struct symbol *b)
{
	bool weak_a = a->binding == SYMBOL_WEAK, weak_b = b->binding == SYMBOL_WEAK;
	size_t under_a, under_b, length_a, length_b;

	if (a->sized != b->sized)
		return a->sized ? -1 : 1;
	if (weak_a != weak_b)
		return weak_a ? 1 : -1;
	if (a->binding != b->binding)
		return a->binding == SYMBOL_GLOBAL ? -1 : 1;
	under_a = strspn(a->name, "_");
	under_b = strspn(b->name, "_");
	if (under_a != under_b)
		return under_a < under_b ? -1 : 1;
	length_a = strlen(a->name);
	length_b = strlen(b->name);
	if (length_a != length_b)
		return length_a > length_b ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static int compare(const void *x, const void *y)
{
	const struct symbol *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return compare_names(a, b);
}

/* Return true if the symbols are sorted. The largest table, that of the kernel, always is. */
static bool is_in_order(const struct symbol_table *table)
{
	size_t i;

	for (i = 1; i < table->nr; i++) {
		if (compare(&table->symbols[i - 1], &table->symbols[i]) > 0)
			return false;
	}
	return true;
}

static void free_symbol(struct symbol *symbol)
{
	free(symbol->name);
	free(symbol->shown);
}

static void drop_aliases(struct symbol_table *table)
{
	size_t i, kept = 0;

	for (i = 0; i < table->nr; i++) {
		if (kept && table->symbols[kept - 1].start == table->symbols[i].start)
			free_symbol(&table->symbols[i]);
		else
			table->symbols[kept++] = table->symbols[i];
	}
	table->nr = kept;
}

/*
 * Guess the end of a function: the next symbol or, for the last one, the end of the page after its
 * own page.
 */
static void guess_end(const struct symbol_table *table, size_t i)
{
	struct symbol *symbol = &table->symbols[i];

	if (i + 1 < table->nr)
		symbol->end = symbol[1].start;
	else if (symbol->start < UINT64_MAX - 2 * PAGE)
		symbol->end = (symbol->start | (PAGE - 1)) + 1 + PAGE;
	else
		symbol->end = UINT64_MAX;
}

/**
 * symbol_table_finish() - Sort the symbols, drop aliases and find the ends of functions
 * @table: table; nothing is added to it afterwards, except by elf_plt_add()
 */
void symbol_table_finish(struct symbol_table *table)
{
	uint64_t reach = 0;
	size_t i;

	if (!table->nr)
		return;
	if (!is_in_order(table))
		qsort(table->symbols, table->nr, sizeof(*table->symbols), compare);
	drop_aliases(table);
	for (i = 0; i < table->nr; i++) {
		struct symbol *symbol = &table->symbols[i];

		if (!symbol->sized)
			guess_end(table, i);
		if (symbol->end > reach)
			reach = symbol->end;
		symbol->reach = reach;
	}
}

/**
 * symbol_table_find() - Find the function at an address
 * @table: finished table
 * @addr: address
 *
 * Return: The innermost function, or NULL.
 */
struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t addr)
{
	size_t low = 0, high = table->nr;
	int steps;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (table->symbols[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	for (steps = 0; low && steps < OVERLAP_STEPS_MAX; low--, steps++) {
		struct symbol *symbol = &table->symbols[low - 1];

		if (addr < symbol->end)
			return symbol;
		if (addr >= symbol->reach)
			break;
	}
	return NULL;
}

static void say_swift(void)
{
	static bool said;

	if (said)
		return;
	said = true;
	warn("names of Swift functions are not demangled; pipe the output through swift-demangle");
}

/* Return the name to show: demangled, without parameters, safe to print. */
const char *symbol_name(struct symbol *symbol)
{
	char *demangled;

	if (symbol->shown)
		return symbol->shown;
	demangled = demangle(symbol->name);
	if (!demangled && is_swift_name(symbol->name))
		say_swift();
	symbol->shown = escape_name(demangled ? demangled : symbol->name);
	free(demangled);
	return symbol->shown;
}

/* Return the text that follows the name where a report shows a function. */
const char *symbol_suffix(const struct symbol *symbol)
{
	return symbol->inlined ? " (inlined)" : "";
}

void symbol_table_free(struct symbol_table *table)
{
	size_t i;

	for (i = 0; i < table->nr; i++)
		free_symbol(&table->symbols[i]);
	free(table->symbols);
}
