// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the address of a function or line.
 */
#include <dwarf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "inlined.h"
#include "lines.h"
#include "place.h"

/*
 * Return true if @pc is after the first instruction of @function, but the function has not stored
 * its parameters there yet.
 */
static bool is_in_prologue(Dwarf_Die *function, Dwarf_Addr pc)
{
	Dwarf_Addr *ends, entry;
	bool before;
	int nr;

	if (function_entry(function, &entry) || pc <= entry)
		return false;
	nr = dwarf_entry_breakpoints(function, &ends);
	before = nr > 0 && pc < ends[0];
	if (nr > 0)
		free(ends);
	return before;
}

static void find_scopes(struct place *p)
{
	Dwarf_Addr entry;
	Dwarf_Die *function;

	p->pc = p->addr + p->binary->file.to_dwarf;
	p->has_debug = p->binary->file.dwarf && !scopes_find(&p->scopes, p->binary, p->pc);
	if (!p->has_debug)
		return;
	function = &p->scopes.dies[0];
	p->at_entry = !function_entry(function, &entry) && entry == p->pc;
		/* At the function's first instruction, ignore inlined functions. */
	if (p->at_entry)
		p->scopes.nr = 1;
	p->in_prologue = is_in_prologue(function, p->pc);
	p->from = scopes_function(&p->scopes);
}

/*
 * Name the function around the place. Cold code has a symbol of its own, far from the function's
 * entry.
 */
static int name_function(struct place *p, struct error *err)
{
	struct binary_function symbol;
	const char *name = binary_function_at(p->binary, p->addr, &symbol);
	Dwarf_Addr entry;

	if (p->has_debug && !function_entry(&p->scopes.dies[0], &entry)) {
		p->start = entry - p->binary->file.to_dwarf;
		if (!name || symbol.addr == p->start)
			name = dwarf_diename(&p->scopes.dies[0]) ?: "line";
		else
			p->start = symbol.addr;
	} else if (name) {
		p->start = symbol.addr;
	} else {
		return binary_refuse_without_debug(p->binary, err);
	}
	p->function = xstrdup(name);
	return 0;
}

static int find_line(struct place *p, const struct definition *d, struct error *err)
{
	Dwarf_Addr pc;

	if (!p->binary->file.dwarf)
		return binary_refuse_without_debug(p->binary, err);
	if (lines_find(p->binary, d->file, d->line, NULL, &pc, err))
		return -1;
	p->addr = pc - p->binary->file.to_dwarf;
	find_scopes(p);
	return name_function(p, err);
}

/* Find a line, which is counted from the declaration of the function. */
static int find_line_of_function(struct place *p, unsigned int line, struct error *err)
{
	Dwarf_Die function;
	const char *file;
	Dwarf_Addr pc;
	int first;

	find_scopes(p);
	if (!p->has_debug)
		return binary_refuse_without_debug(p->binary, err);
	if (!line)
		return 0;
	function = p->scopes.dies[0];
	if (function_declaration(&p->scopes, &file, &first))
		return binary_refuse_without_debug(p->binary, err);
	if (lines_find(p->binary, file, first + line, &function, &pc, err))
		return -1;
	p->addr = pc - p->binary->file.to_dwarf;
	return 0;
}

static int find_function(struct place *p, const struct definition *d, struct error *err)
{
	struct binary_function function;
	int ret;

	ret = binary_function(p->binary, d->function, &function, err);
	if (ret == -ENOENT)
		inlined_refuse(p->binary, d->function, err);
	if (ret)
		return -1;
	p->function = xstrdup(d->function);
	p->start = function.addr;
	p->addr = function.addr + d->offset;
	if (function.size && d->offset >= function.size) {
		error_set(err, "'%s' has only %" PRIu64 " bytes; it has no offset %" PRIu64,
			  d->function, function.size, d->offset);
		return -1;
	}
	if (!d->has_line) {
		find_scopes(p);
		return 0;
	}
	if (find_line_of_function(p, d->line, err))
		return -1;
	find_scopes(p);
	if (!function.size || p->addr - p->start < function.size)
		return 0;
	free(p->function);
	p->function = NULL;
	return name_function(p, err);
}

int place_find(struct place *place, const struct binary *binary,
	       const struct definition *definition, struct error *err)
{
	*place = (struct place){ .binary = binary };
	return definition->file ? find_line(place, definition, err) :
				  find_function(place, definition, err);
}

void place_free(struct place *place)
{
	free(place->function);
	place->function = NULL;
}
