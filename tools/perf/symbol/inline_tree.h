/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inlined functions of one compilation unit by address.
 */
#ifndef PERF_SYMBOL_INLINE_TREE_H
#define PERF_SYMBOL_INLINE_TREE_H

#include <elfutils/libdw.h>

#include "line_table.h"
#include "ranges.h"
#include "split_ranges.h"

struct symbol;

/**
 * struct inlined - an inlined function
 * @die: offset of its entry in the debug information
 * @parent: number of the inlined function around it, or RANGE_NONE
 * @call: place of the call
 * @symbol: symbol that was made of it last, or NULL
 * @base: function of the symbol table for which @symbol was made
 */
struct inlined {
	Dwarf_Off die;
	uint32_t parent;
	struct source_line call;
	struct symbol *symbol;
	const struct symbol *base;
};

/**
 * struct function - a function that has code of its own
 * @die: offset of its entry in the debug information
 * @loaded: true if the functions in it have been read
 * @inlined: functions that are inlined in it, each one after those around it
 * @nr: number of elements of @inlined
 * @room: allocated number of elements of @inlined
 * @by_addr: numbers of the innermost inlined functions by address
 */
struct function {
	Dwarf_Off die;
	bool loaded;
	struct inlined *inlined;
	uint32_t nr;
	uint32_t room;
	struct ranges by_addr;
};

/**
 * struct inline_tree - the functions of a unit
 * @dwarf: debug information of the unit, which a .dwo file may have
 * @split: addresses of a unit with split debug information, or NULL
 * @paths: source files of the unit, or NULL
 * @functions: functions
 * @nr: number of elements of @functions
 * @room: allocated number of elements of @functions
 * @by_addr: numbers of the functions by address
 */
struct inline_tree {
	Dwarf *dwarf;
	const struct split_addresses *split;
	Dwarf_Files *paths;
	struct function *functions;
	uint32_t nr;
	uint32_t room;
	struct ranges by_addr;
};

/* Add the address ranges of an entry to @ranges. Their number is bounded. */
void die_add_ranges(struct ranges *ranges, Dwarf_Die *die, uint32_t value);

/**
 * inline_tree_load() - Find the functions of a unit
 * @tree: filled in; the contents of a function are read when they are needed
 * @unit: entry of the unit
 * @split: addresses of a unit with split debug information, which live as long as @tree; or NULL
 * @skeleton: entry of a unit with split debug information in the program; or NULL
 */
void inline_tree_load(struct inline_tree *tree, Dwarf_Die *unit,
		      const struct split_addresses *split, Dwarf_Die *skeleton);

/**
 * inline_tree_find() - Find the inlined functions at an address
 * @tree: functions of a unit
 * @addr: address in the debug information
 * @files: gets the source files of calls
 * @function: set to the function that has the code
 *
 * Return: The index in @function->inlined of the innermost inlined function, or RANGE_NONE.
 */
uint32_t inline_tree_find(struct inline_tree *tree, Dwarf_Addr addr, struct source_files *files,
			  struct function **function);

/* Return the name of an inlined function, mangled if it can be; NULL if it has none. */
const char *inlined_name(const struct inline_tree *tree, const struct inlined *inlined);

void inline_tree_free(struct inline_tree *tree);

#endif
