/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the address of a function or line.
 */
#ifndef PERF_PROBE_PLACE_H
#define PERF_PROBE_PLACE_H

#include "definition.h"
#include "scopes.h"

/**
 * struct place - the place of an event
 * @binary: file
 * @function: name of the function
 * @start: address of the function in the file
 * @addr: address of the event in the file
 * @pc: address of the event in the debug information
 * @has_debug: true if there is debug information, and @scopes are set
 * @at_entry: true at the first instruction of the function
 * @in_prologue: true if the function has not stored its parameters yet
 * @scopes: functions and blocks around the event
 * @from: index in @scopes of the innermost function, where the search for variables ends
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

/* Find the place of @definition. Return: 0, or -1 with @err set; place_free() frees it always. */
int place_find(struct place *place, const struct binary *binary,
	       const struct definition *definition, struct error *err);
void place_free(struct place *place);

#endif
