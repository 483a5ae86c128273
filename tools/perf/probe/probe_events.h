/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Adds, lists and deletes events of tracefs.
 */
#ifndef PERF_PROBE_PROBE_EVENTS_H
#define PERF_PROBE_PROBE_EVENTS_H

#include <stdbool.h>

#include "util/util.h"

/* Return true if tracefs has an event of that name, of any kind. */
bool probe_events_has(const char *group, const char *event);

/* Add a line to tracefs. Return: 0, or -1 with @err set to the kernel's reason. */
int probe_events_add(const char *line, bool in_kernel, struct error *err);

/**
 * struct probe_event - an event of tracefs
 * @name: "GROUP:EVENT"
 * @what: place and fetched values, in the form of tracefs
 * @in_kernel: true if the event is in the kernel, not in a program or library
 * @is_return: true if the event happens when a function returns
 */
struct probe_event {
	const char *name;
	const char *what;
	bool in_kernel;
	bool is_return;
};

/*
 * A function that probe_events_walk() calls for each event. A nonzero return value ends the walk.
 */
typedef int (*probe_event_visitor)(void *context, const struct probe_event *event);

/**
 * probe_events_walk() - Call a function for all events that match
 * @pattern: "[GROUP:]EVENT", see fnmatch(3); NULL: all
 * @visit: function; may delete the event
 * @context: first argument of @visit
 * @err: set to the reason if tracefs cannot be read
 *
 * Return: The last return value of @visit, or -1 with @err set.
 */
int probe_events_walk(const char *pattern, probe_event_visitor visit, void *context,
		      struct error *err);

int probe_events_delete(const struct probe_event *event, struct error *err);

#endif
