/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the function and the blocks around an address in debug information.
 */
#ifndef PERF_PROBE_SCOPES_H
#define PERF_PROBE_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "symbol/symbol.h"
#include "binary.h"

/* Maximum nesting of blocks. */
#define SCOPES_MAX 64

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

/* Like scopes_find(), for an address that is looked for in one compilation unit only. */
int scopes_find_in(struct scopes *scopes, Dwarf_Die *unit, Dwarf_Addr pc);

/* Return the index in @dies of the innermost function, which may be inlined. */
size_t scopes_function(const struct scopes *scopes);

/*
 * Find the file and the line where the outermost function of @scopes is declared. Return: 0, or -1
 * if they are unknown.
 */
int function_declaration(const struct scopes *scopes, const char **file, int *line);

/* Find the address where a function is entered. Return: 0, or -1 if it is unknown. */
int function_entry(Dwarf_Die *function, Dwarf_Addr *entry);

#endif
