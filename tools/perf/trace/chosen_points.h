/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoints that the user chose beside system calls, or in their place.
 */
#ifndef PERF_TRACE_CHOSEN_POINTS_H
#define PERF_TRACE_CHOSEN_POINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/machine.h"
#include "measure/measure.h"
#include "util/util.h"

/**
 * struct chosen_points - tracepoints by name
 * @points: name or pattern, and filter for the kernel, of each choice; a filter of NULL: none
 * @nr: number of @points
 */
struct chosen_points {
	struct chosen_point {
		char *name;
		char *filter;
	} *points;
	size_t nr;
};

/* Return true if a word of -e is no system call, but an event: "SYSTEM:NAME". */
bool is_point_name(const char *word);

/* Add a choice: "SYSTEM:NAME" or a pattern, with modifiers and terms. */
void chosen_points_add(struct chosen_points *points, const char *name);

/**
 * chosen_points_filter() - Give a filter to the last choice
 * @points: choices
 * @filter: filter in the kernel's language
 * @err: set to the reason of a failure
 *
 * Return: 0, or -1 with @err set if nothing is chosen, or the last choice has a filter.
 */
int chosen_points_filter(struct chosen_points *points, const char *filter, struct error *err);

/**
 * chosen_points_parse() - Add the events of all choices to a list
 * @points: choices
 * @events: list of events
 * @others: a filter that all of them have beside their own; NULL: none
 * @err: set to the reason of a failure
 *
 * Return: 0, or an exit status with @err set.
 */
int chosen_points_parse(const struct chosen_points *points, struct event_list *events,
			const char *others, struct error *err);

/* Return true if an event of a recording is among the choices. */
bool chosen_points_have(const struct chosen_points *points, const char *name);

/* Return the name of a choice that no event of a recording has, or NULL. */
const char *chosen_points_lack(const struct chosen_points *points,
			       const struct event_table *events);

void chosen_points_free(struct chosen_points *points);

#endif
