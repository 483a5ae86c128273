/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints the place of a defined event: function, file and line.
 */
#ifndef PERF_PROBE_EVENT_PLACE_H
#define PERF_PROBE_EVENT_PLACE_H

#include <stdio.h>

#include "binary.h"
#include "probe_events.h"

/**
 * struct event_places - the program or library that was opened last
 * @path: path of the file as tracefs has it, or NULL
 * @binary: the open file, if @is_open
 * @is_open: true if the file could be opened
 *
 * Events are listed in the order in which they were defined, so those of a file often stand
 * together.
 */
struct event_places {
	char *path;
	struct binary binary;
	bool is_open;
};

/**
 * event_place_print() - Print the place of an event, and the values that it fetches
 * @places: filled with 0 before the first call
 * @event: event
 * @to: stream
 *
 * Prints "FUNCTION:LINE@FILE in PROGRAM with ARGUMENTS", in the form that the kernel's perf has.
 * The line is relative to that of the function; it is omitted at the first instruction. Without
 * debug information, it is "FUNCTION+OFFSET"; without a symbol, the offset in the file. An event
 * of the kernel is printed as tracefs has it.
 */
void event_place_print(struct event_places *places, const struct probe_event *event, FILE *to);

void event_places_free(struct event_places *places);

#endif
