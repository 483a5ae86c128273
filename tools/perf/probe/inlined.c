// SPDX-License-Identifier: GPL-2.0
/* Finds the places where a function that has no code of its own is inlined. */
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "inlined.h"

/* Maximum number of places that a message names. */
#define PLACES_NAMED 5
/* Maximum nesting of blocks and inlined functions that is looked at. */
#define BLOCKS_MAX 512

/* The search for a function, and the number of places found so far. */
struct search {
	const struct binary *binary;
	const char *name;
	size_t nr;
	struct error *err;
};

static bool has_name(Dwarf_Die *die, const char *name)
{
	const char *plain = dwarf_diename(die), *linkage = NULL;
	Dwarf_Attribute attribute;

	if (plain && !strcmp(plain, name))
		return true;
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute))
		linkage = dwarf_formstring(&attribute);
	return linkage && (!strcmp(linkage, name) || binary_is_name_in_source(linkage, name));
}

static Dwarf_Word number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &number))
		return 0;
	return number;
}

/* Add the line of the call to the message. */
static void add_call(Dwarf_Die *unit, Dwarf_Die *die, struct error *err)
{
	Dwarf_Word line = number_of(die, DW_AT_call_line);
	const char *path = NULL, *slash;
	Dwarf_Files *files;
	char *safe;
	size_t nr;

	if (line && !dwarf_getsrcfiles(unit, &files, &nr))
		path = dwarf_filesrc(files, number_of(die, DW_AT_call_file), NULL, NULL);
	if (!path)
		return;
	slash = strrchr(path, '/');
	safe = escape_name(slash ? slash + 1 : path);
	error_add(err, " (called at %s:%" PRIu64 ")", safe, (uint64_t)line);
	free(safe);
}

/* Note a place, and add its definition to the message. */
static void add_place(struct search *search, Dwarf_Die *unit, Dwarf_Die *die)
{
	struct binary_function function;
	Dwarf_Addr addr, base, end;
	const char *symbol;
	char *safe;

	if (dwarf_entrypc(die, &addr) && dwarf_ranges(die, 0, &base, &addr, &end) <= 0)
		return;
	addr -= search->binary->file.to_dwarf;
	symbol = binary_function_at(search->binary, addr, &function);
	if (!symbol)
		return;
	if (search->nr++ >= PLACES_NAMED)
		return;
	safe = escape_name(symbol);
	error_add(search->err, "%s %s+%" PRIu64, search->nr > 1 ? "," : "", safe,
		  addr - function.addr);
	free(safe);
	add_call(unit, die, search->err);
}

static void search_in(struct search *search, Dwarf_Die *unit, Dwarf_Die *parent, int depth)
{
	struct child child;
	bool more;

	for (more = child_first(&child, parent); more; more = child_next(&child)) {
		int tag = dwarf_tag(&child.die);

		if (tag == DW_TAG_inlined_subroutine && has_name(&child.die, search->name))
			add_place(search, unit, &child.die);
		if (depth && (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
			      tag == DW_TAG_inlined_subroutine || die_has_functions(&child.die)))
			search_in(search, unit, &child.die, depth - 1);
	}
}

bool inlined_refuse(const struct binary *binary, const char *name, struct error *err)
{
	struct error places = { "" };
	struct search search = { .binary = binary, .name = name, .err = &places };
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	while (binary->file.dwarf && (unit = dwfl_module_nextcu(binary->file.module, unit, &bias)))
		search_in(&search, unit, unit, BLOCKS_MAX);
	if (!search.nr)
		return false;
	error_set(err, "'%s' has no code of its own, it is inlined everywhere; probe its %s:%s",
		  name, search.nr > 1 ? "places" : "place", places.text);
	if (search.nr > PLACES_NAMED)
		error_add(err, ", and %zu others", search.nr - PLACES_NAMED);
	return true;
}
