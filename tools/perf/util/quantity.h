/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers with a unit behind them: "10ms", "100M".
 */
#ifndef PERF_UTIL_QUANTITY_H
#define PERF_UTIL_QUANTITY_H

#include <stdbool.h>

/* A unit, and how much of the smallest it is. The last of a table has no name. */
struct quantity_unit {
	const char *name;
	double factor;
};

/**
 * quantity_parse() - read a number above 0, and below 1e9, with a unit
 * @text: the number, which may have a fraction, and the unit right behind it
 * @units: those that there are
 * @quantity: gets how much of the smallest unit that is
 *
 * Return: false when it is none.
 */
bool quantity_parse(const char *text, const struct quantity_unit *units, double *quantity);

#endif
