/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a function or a line to an address.
 */
#ifndef PERF_PROBE_PLACE_H
#define PERF_PROBE_PLACE_H

#include "definition.h"
#include "scopes.h"

/**
 * struct place - where an event is
 * @binary: the file
 * @function: its name; of a line, the one that it is in
 * @start: address of the function
 * @addr: address in the file
 * @pc: the same in the debug information
 * @has_debug: there is debug information about it, and @scopes
 * @at_entry: nothing of the function has been executed
 * @in_prologue: parameters may not be yet where they will be later
 * @scopes: what is around
 * @from: the innermost function in @scopes, whose names count
 */
struct place {
	const struct binary *binary;
	char *function;
	uint64_t start;
	uint64_t addr;
	Dwarf_Addr pc;
	bool has_debug;
	bool at_entry;
	bool in_prologue;
	struct scopes scopes;
	size_t from;
};

/* Find where @definition is. 0, or -1 with @err set; it is to be freed in both cases. */
int place_find(struct place *place, const struct binary *binary,
	       const struct definition *definition, struct error *err);
void place_free(struct place *place);

#endif
