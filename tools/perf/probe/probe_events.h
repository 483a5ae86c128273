/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events that tracefs has been told of: added, listed, deleted.
 */
#ifndef PERF_PROBE_PROBE_EVENTS_H
#define PERF_PROBE_PROBE_EVENTS_H

#include <stdbool.h>

#include "util/util.h"

/* Is there an event of that name, of whatever kind? */
bool probe_events_has(const char *group, const char *event);

/* Have tracefs take a line; 0, or -1 with @err saying what it has against it. */
int probe_events_add(const char *line, bool in_kernel, struct error *err);

/**
 * struct probe_event - an event that is there
 * @name: "GROUP:EVENT"
 * @what: where it is, and what it fetches, as tracefs has it
 * @in_kernel: it is in the kernel, not in a program or library
 * @is_return: it is where a function returns
 */
struct probe_event {
	const char *name;
	const char *what;
	bool in_kernel;
	bool is_return;
};

/* What is called with each; not 0 ends the walk. */
typedef int (*probe_event_visitor)(void *context, const struct probe_event *event);

/**
 * probe_events_walk() - call a function with all events that match
 * @pattern: "[GROUP:]EVENT", see fnmatch(3); NULL: all
 * @visit: the function, which may delete the event
 * @context: passed to it
 * @err: why tracefs cannot be read
 *
 * Return: what @visit has returned last, or -1 with @err set.
 */
int probe_events_walk(const char *pattern, probe_event_visitor visit, void *context,
		      struct error *err);

int probe_events_delete(const struct probe_event *event, struct error *err);

#endif
