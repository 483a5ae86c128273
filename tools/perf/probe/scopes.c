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

int scopes_find_in(struct scopes *scopes, Dwarf_Die *unit, Dwarf_Addr pc)
{
	scopes->nr = 0;
	if (dwarf_haspc(unit, pc) <= 0 ||
	    !find_subprogram(unit, pc, &scopes->dies[0], FUNCTION_NESTING_MAX))
		return -1;
	scopes->cu = *unit;
	scopes->nr = 1;
	while (scopes->nr < SCOPES_MAX &&
	       find_block(&scopes->dies[scopes->nr - 1], pc, &scopes->dies[scopes->nr]))
		scopes->nr++;
	return 0;
}

int scopes_find(struct scopes *scopes, const struct binary *binary, Dwarf_Addr pc)
{
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias;

	while ((cu = dwfl_module_nextcu(binary->file.module, cu, &bias))) {
		if (!scopes_find_in(scopes, cu, pc))
			return 0;
	}
	scopes->nr = 0;
	return -1;
}

size_t scopes_function(const struct scopes *scopes)
{
	size_t i = scopes->nr - 1;

	while (i && dwarf_tag((Dwarf_Die *)&scopes->dies[i]) != DW_TAG_inlined_subroutine)
		i--;
	return i;
}

/*
 * Return the file with the declaration of a function. libdw (0.188) takes file number 0 for none,
 * but in DWARF 5 it is the first file.
 */
static const char *file_of(const struct scopes *scopes, Dwarf_Die *function)
{
	const char *file = dwarf_decl_file(function);
	Dwarf_Die unit = scopes->cu;
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t nr;

	if (file || !dwarf_attr_integrate(function, DW_AT_decl_file, &attr) ||
	    dwarf_formudata(&attr, &number) || number ||
	    dwarf_getsrcfiles(&unit, &files, &nr) || !nr)
		return file;
	return dwarf_filesrc(files, 0, NULL, NULL);
}

int function_declaration(const struct scopes *scopes, const char **file, int *line)
{
	Dwarf_Die function = scopes->dies[0];

	*file = file_of(scopes, &function);
	return *file && !dwarf_decl_line(&function, line) && *line > 0 ? 0 : -1;
}

int function_entry(Dwarf_Die *function, Dwarf_Addr *entry)
{
	Dwarf_Addr base, end;

	if (!dwarf_entrypc(function, entry))
		return 0;
	/* The first range of a function with cold code elsewhere is where it is entered. */
	return dwarf_ranges(function, 0, &base, entry, &end) > 0 ? 0 : -1;
}
