/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the register or memory of a variable.
 */
#ifndef PERF_PROBE_LOCATION_H
#define PERF_PROBE_LOCATION_H

#include "place.h"

/**
 * struct value_location - the place of a value
 * @in_memory: true if the value is at address @base + @offset, false if it is @base
 * @base: text that makes tracefs fetch the base
 * @offset: distance in bytes from the base, if @in_memory
 */
struct value_location {
	bool in_memory;
	char *base;
	long offset;
};

/**
 * location_find() - Find the place of a variable
 * @location: set to the place; the caller frees @location->base
 * @place: place in code of x86-64 with debug information
 * @variable: entry of the variable in the debug information
 * @err: set to the reason if the place is unknown or unreliable
 *
 * Return: 0, or -1 with @err set.
 */
int location_find(struct value_location *location, const struct place *place, Dwarf_Die *variable,
		  struct error *err);

/* Return the text that makes tracefs fetch the value; the caller frees it. */
char *location_fetch(const struct value_location *location);

#endif
