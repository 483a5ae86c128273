/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks through the children of an entry of debug information.
 */
#ifndef PERF_SYMBOL_DIE_CHILDREN_H
#define PERF_SYMBOL_DIE_CHILDREN_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* Maximum number of children of an entry. */
#define CHILDREN_MAX 1000000
/* Maximum nesting of namespaces and classes that contain functions. */
#define FUNCTION_NESTING_MAX 16

/**
 * struct child - a walk through the children of an entry
 * @die: current child
 * @nr: number of children before it; bounded, because a damaged file may contain a loop
 */
struct child {
	Dwarf_Die die;
	unsigned int nr;
};

/* Go to the first or next child. Return: false if there is no such child. */
bool child_first(struct child *child, Dwarf_Die *parent);
bool child_next(struct child *child);

/* Return true if the entry is a namespace or class, which may contain functions. */
bool die_has_functions(Dwarf_Die *die);

#endif
