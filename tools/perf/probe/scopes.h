/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the function and the blocks around an address in debug information.
 */
#ifndef PERF_PROBE_SCOPES_H
#define PERF_PROBE_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "binary.h"

/* Maximum nesting of blocks. */
#define SCOPES_MAX 64
/* Maximum number of children of an entry. */
#define CHILDREN_MAX 1000000

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

/**
 * struct scopes - the functions and blocks around an address
 * @cu: compilation unit
 * @dies: function, and blocks and inlined functions from outside to inside
 * @nr: number of @dies
 */
struct scopes {
	Dwarf_Die cu;
	Dwarf_Die dies[SCOPES_MAX];
	size_t nr;
};

/* Find the scopes of @pc, an address in the debug information. Return: 0, or -1 if unknown. */
int scopes_find(struct scopes *scopes, const struct binary *binary, Dwarf_Addr pc);

/* Return the index in @dies of the innermost function, which may be inlined. */
size_t scopes_function(const struct scopes *scopes);

#endif
