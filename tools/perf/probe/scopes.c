// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the function and the blocks around an address in debug information.
 */
#include <dwarf.h>

#include "scopes.h"

static bool find_subprogram(Dwarf_Die *parent, Dwarf_Addr pc, Dwarf_Die *found, int depth)
{
	struct child child;
	bool more;

	for (more = child_first(&child, parent); more; more = child_next(&child)) {
		if (dwarf_tag(&child.die) == DW_TAG_subprogram) {
			if (dwarf_haspc(&child.die, pc) <= 0)
				continue;
			*found = child.die;
			return true;
		}
		if (depth && die_has_functions(&child.die) &&
		    find_subprogram(&child.die, pc, found, depth - 1))
			return true;
	}
	return false;
}

static bool is_scope(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
}

/* Find the block or inlined function in @parent that contains @pc. */
static bool find_block(Dwarf_Die *parent, Dwarf_Addr pc, Dwarf_Die *found)
{
	struct child child;
	bool more;

	for (more = child_first(&child, parent); more; more = child_next(&child)) {
		if (is_scope(&child.die) && dwarf_haspc(&child.die, pc) > 0) {
			*found = child.die;
			return true;
		}
	}
	return false;
}

int scopes_find(struct scopes *scopes, const struct binary *binary, Dwarf_Addr pc)
{
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias;

	scopes->nr = 0;
	while ((cu = dwfl_module_nextcu(binary->file.module, cu, &bias))) {
		if (dwarf_haspc(cu, pc) <= 0 ||
		    !find_subprogram(cu, pc, &scopes->dies[0], FUNCTION_NESTING_MAX))
			continue;
		scopes->cu = *cu;
		scopes->nr = 1;
		while (scopes->nr < SCOPES_MAX &&
		       find_block(&scopes->dies[scopes->nr - 1], pc, &scopes->dies[scopes->nr]))
			scopes->nr++;
		return 0;
	}
	return -1;
}

size_t scopes_function(const struct scopes *scopes)
{
	size_t i = scopes->nr - 1;

	while (i && dwarf_tag((Dwarf_Die *)&scopes->dies[i]) != DW_TAG_inlined_subroutine)
		i--;
	return i;
}
