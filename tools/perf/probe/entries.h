/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The addresses where the functions of a compilation unit are entered.
 */
#ifndef PERF_PROBE_ENTRIES_H
#define PERF_PROBE_ENTRIES_H

#include "scopes.h"

/**
 * struct entry - the entry of a function
 * @pc: address in the debug information
 * @file: path of the source that declares the function
 * @line: number of the line of the declaration
 */
struct entry {
	Dwarf_Addr pc;
	const char *file;
	unsigned int line;
};

/* The entries of a unit by address; all zeros: none. @list has room for a power of two. */
struct entries {
	struct entry *list;
	size_t nr;
	size_t room;
};

/* Find the entries of @unit; entries_free() frees them. */
void entries_find(struct entries *entries, Dwarf_Die *unit);

/* Return the function that is entered at @pc, or NULL. */
const struct entry *entries_at(const struct entries *entries, Dwarf_Addr pc);

void entries_free(struct entries *entries);

#endif
