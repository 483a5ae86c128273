// SPDX-License-Identifier: GPL-2.0
/*
 * The addresses where the functions of a compilation unit are entered.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "entries.h"

static void add(struct entries *entries, struct scopes *scopes)
{
	struct entry entry;
	int line;

	if (function_entry(&scopes->dies[0], &entry.pc) ||
	    function_declaration(scopes, &entry.file, &line))
		return;
	entry.line = line;
	if (entries->nr == entries->room) {
		entries->room = entries->room ? 2 * entries->room : 64;
		entries->list = xreallocarray(entries->list, entries->room, sizeof(entry));
	}
	entries->list[entries->nr++] = entry;
}

static void find_in(struct entries *entries, struct scopes *scopes, Dwarf_Die *parent, int depth)
{
	struct child child;
	bool more;

	for (more = child_first(&child, parent); more; more = child_next(&child)) {
		scopes->dies[0] = child.die;
		if (dwarf_tag(&child.die) == DW_TAG_subprogram)
			add(entries, scopes);
		else if (depth && die_has_functions(&child.die))
			find_in(entries, scopes, &child.die, depth - 1);
	}
}

static int by_address(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

void entries_find(struct entries *entries, Dwarf_Die *unit)
{
	struct scopes scopes = { .cu = *unit, .nr = 1 };

	*entries = (struct entries){ 0 };
	find_in(entries, &scopes, unit, FUNCTION_NESTING_MAX);
	if (entries->nr)
		qsort(entries->list, entries->nr, sizeof(*entries->list), by_address);
}

const struct entry *entries_at(const struct entries *entries, Dwarf_Addr pc)
{
	const struct entry key = { .pc = pc };

	return entries->nr ? bsearch(&key, entries->list, entries->nr, sizeof(key), by_address) :
			     NULL;
}

void entries_free(struct entries *entries)
{
	free(entries->list);
	*entries = (struct entries){ 0 };
}
