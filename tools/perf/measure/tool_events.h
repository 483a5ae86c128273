/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that the tool measures itself, without a counter: the duration of the measurement, and CPU
 * time as the kernel accounts it.
 */
#ifndef PERF_MEASURE_TOOL_EVENTS_H
#define PERF_MEASURE_TOOL_EVENTS_H

#include <stddef.h>

enum tool_event {
	TOOL_NONE,		/* a counter counts the event */
	TOOL_DURATION,		/* wall-clock time of the measurement, ns */
	TOOL_USER_TIME,		/* time in user mode, ns */
	TOOL_SYSTEM_TIME,	/* time in the kernel, ns */
};

/* Find an event by name, "duration_time". Return: TOOL_NONE for other names. */
enum tool_event tool_event_find(const char *name);

/* Return the name of the @i-th event, or NULL if there are fewer. */
const char *tool_event_name(size_t i);

#endif
