/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers with a unit: "10ms", "100M". */
#ifndef PERF_UTIL_QUANTITY_H
#define PERF_UTIL_QUANTITY_H

#include <stdbool.h>

/* A unit and its size in the smallest unit of the table. The last entry has no name. */
struct quantity_unit {
	const char *name;
	double factor;
};

/**
 * quantity_parse() - parse a number with a unit
 * @text: the number, above 0 and below 1e9, perhaps with a fraction, and a unit right after it
 * @units: table of known units
 * @quantity: receives the value in the smallest unit
 *
 * Return: true if @text is such a number.
 */
bool quantity_parse(const char *text, const struct quantity_unit *units, double *quantity);

#endif
