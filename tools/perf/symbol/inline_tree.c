// SPDX-License-Identifier: GPL-2.0
/*
 * The inlined functions of one compilation unit by address.
 *
 * Loading a unit only finds its functions. The entries in a function are read when an address in
 * it is looked up for the first time, and the name of an inlined function when it is shown for
 * the first time: most functions of a large program are never sampled.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "die_children.h"
#include "inline_tree.h"

/* Maximum number of address ranges of a unit or a function. */
#define RANGES_MAX 4000000
/* Maximum nesting of blocks and inlined functions in a function. */
#define BLOCKS_MAX 512

void die_add_ranges(struct ranges *ranges, Dwarf_Die *die, uint32_t value)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;

	while (ranges->nr < RANGES_MAX &&
	       (offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0)
		ranges_add(ranges, start, end, value);
}

static void add_ranges(const struct inline_tree *tree, struct ranges *ranges, Dwarf_Die *die,
		       uint32_t value)
{
	if (tree->split)
		split_add_ranges(tree->split, ranges, RANGES_MAX, die, value);
	else
		die_add_ranges(ranges, die, value);
}

static void add_function(struct inline_tree *tree, Dwarf_Die *die)
{
	size_t before = tree->by_addr.nr;

	add_ranges(tree, &tree->by_addr, die, tree->nr);
	/* A declaration or an abstract function has no code. */
	if (tree->by_addr.nr == before)
		return;
	if (tree->nr == tree->room) {
		tree->room = tree->room ? tree->room * 2 : 16;
		tree->functions = xreallocarray(tree->functions, tree->room,
						sizeof(*tree->functions));
	}
	tree->functions[tree->nr++] = (struct function){ .die = dwarf_dieoffset(die) };
}

static void add_functions(struct inline_tree *tree, Dwarf_Die *parent, int depth)
{
	struct child child;
	bool more;

	for (more = child_first(&child, parent); more; more = child_next(&child)) {
		if (dwarf_tag(&child.die) == DW_TAG_subprogram)
			add_function(tree, &child.die);
		else if (depth && die_has_functions(&child.die))
			add_functions(tree, &child.die, depth - 1);
	}
}

void inline_tree_load(struct inline_tree *tree, Dwarf_Die *unit,
		      const struct split_addresses *split, Dwarf_Die *skeleton)
{
	size_t nr;

	*tree = (struct inline_tree){ .dwarf = dwarf_cu_getdwarf(unit->cu), .split = split };
	if (dwarf_getsrcfiles(unit, &tree->paths, &nr) &&
	    (!skeleton || dwarf_getsrcfiles(skeleton, &tree->paths, &nr)))
		tree->paths = NULL;
	add_functions(tree, unit, FUNCTION_NESTING_MAX);
	ranges_finish(&tree->by_addr);
}

static Dwarf_Word number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &number))
		return 0;
	return number;
}

static struct source_line call_of(const struct inline_tree *tree, Dwarf_Die *die,
				  struct source_files *files)
{
	Dwarf_Word line = number_of(die, DW_AT_call_line), number;
	struct source_line call = { 0 };

	if (!line || line > INT32_MAX || !tree->paths)
		return call;
	number = number_of(die, DW_AT_call_file);
	call.file = source_file_number(files, dwarf_filesrc(tree->paths, number, NULL, NULL));
	call.line = call.file == NO_SOURCE_FILE ? 0 : line;
	return call;
}

static uint32_t add_inlined(const struct inline_tree *tree, struct function *function,
			    Dwarf_Die *die, uint32_t parent, struct source_files *files)
{
	if (function->nr == function->room) {
		function->room = function->room ? function->room * 2 : 8;
		function->inlined = xreallocarray(function->inlined, function->room,
						  sizeof(*function->inlined));
	}
	function->inlined[function->nr] = (struct inlined){
		.die = dwarf_dieoffset(die), .parent = parent, .call = call_of(tree, die, files),
	};
	add_ranges(tree, &function->by_addr, die, function->nr);
	return function->nr++;
}

/* Add the functions that are inlined in @parent, which is in the inlined function @around. */
static void add_all_inlined(const struct inline_tree *tree, struct function *function,
			    Dwarf_Die *parent, uint32_t around, struct source_files *files,
			    int depth)
{
	struct child child;
	uint32_t inner;
	bool more;

	for (more = child_first(&child, parent); more && function->nr < RANGES_MAX;
	     more = child_next(&child)) {
		int tag = dwarf_tag(&child.die);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block)
			continue;
		inner = around;
		if (tag == DW_TAG_inlined_subroutine)
			inner = add_inlined(tree, function, &child.die, around, files);
		if (depth)
			add_all_inlined(tree, function, &child.die, inner, files, depth - 1);
	}
}

static void load_function(const struct inline_tree *tree, struct function *function,
			  struct source_files *files)
{
	Dwarf_Die die;

	function->loaded = true;
	if (dwarf_offdie(tree->dwarf, function->die, &die))
		add_all_inlined(tree, function, &die, RANGE_NONE, files, BLOCKS_MAX);
	ranges_finish(&function->by_addr);
}

uint32_t inline_tree_find(struct inline_tree *tree, Dwarf_Addr addr, struct source_files *files,
			  struct function **function)
{
	uint32_t number = ranges_find(&tree->by_addr, addr);

	if (number == RANGE_NONE)
		return RANGE_NONE;
	*function = &tree->functions[number];
	if (!(*function)->loaded)
		load_function(tree, *function, files);
	return ranges_find(&(*function)->by_addr, addr);
}

const char *inlined_name(const struct inline_tree *tree, const struct inlined *inlined)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;
	Dwarf_Die die;

	if (!dwarf_offdie(tree->dwarf, inlined->die, &die))
		return NULL;
	if (dwarf_attr_integrate(&die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(&die, DW_AT_MIPS_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? name : dwarf_diename(&die);
}

void inline_tree_free(struct inline_tree *tree)
{
	uint32_t i;

	for (i = 0; i < tree->nr; i++) {
		free(tree->functions[i].inlined);
		ranges_free(&tree->functions[i].by_addr);
	}
	free(tree->functions);
	ranges_free(&tree->by_addr);
}
