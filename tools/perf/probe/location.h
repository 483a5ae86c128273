/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a variable is: in a register or in memory.
 */
#ifndef PERF_PROBE_LOCATION_H
#define PERF_PROBE_LOCATION_H

#include "place.h"

/**
 * struct value_location - where a value is
 * @in_memory: it is at an address
 * @base: what tracefs fetches: the value, or what @offset is added to for its address
 * @offset: see @base
 */
struct value_location {
	bool in_memory;
	char *base;
	long offset;
};

/**
 * location_find() - where a variable is at a place
 * @location: where to; the caller frees @base
 * @place: the place, with debug information, in code of x86-64
 * @variable: its entry there
 * @err: why it cannot be relied on
 *
 * Return: 0, or -1 with @err set.
 */
int location_find(struct value_location *location, const struct place *place, Dwarf_Die *variable,
		  struct error *err);

/* What tracefs fetches for the value; the caller frees it. */
char *location_fetch(const struct value_location *location);

#endif
