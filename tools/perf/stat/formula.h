/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Formulas of events: "100 * branch-misses / branches".
 *
 * A formula has numbers, names of events, + - * / with a blank on both sides, parentheses, and
 * max(A, B).
 */
#ifndef PERF_STAT_FORMULA_H
#define PERF_STAT_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

#define FORMULA_EVENTS_MAX 8

/* The events of a formula, each once, in the order in which they first occur. */
struct formula_events {
	char *names[FORMULA_EVENTS_MAX];
	size_t nr;
};

/* Collect the events of a formula. Return: false if @formula is not valid. */
bool formula_events(const char *formula, struct formula_events *events);
void formula_events_free(struct formula_events *events);

/* Return the value of a formula whose events have @values; NAN if a part is divided by 0. */
double formula_value(const char *formula, const double *values);

#endif
