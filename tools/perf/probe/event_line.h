/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes the line of text that defines an event in tracefs, see
 * Documentation/trace/kprobetrace.rst and uprobetracer.rst.
 */
#ifndef PERF_PROBE_EVENT_LINE_H
#define PERF_PROBE_EVENT_LINE_H

#include "definition.h"
#include "place.h"

/**
 * struct event_line - the line for an event
 * @group: group
 * @event: name
 * @where: function, and offset or "%return", for messages
 * @text: line for tracefs
 * @in_kernel: true if the event is in the kernel, not in a program or library
 */
struct event_line {
	char *group;
	char *event;
	char *where;
	char *text;
	bool in_kernel;
};

/**
 * event_line_make() - Make the line for a definition
 * @line: filled in; the caller frees it with event_line_free(), also after an
 *	error
 * @definition: definition
 * @place: address; NULL if only the kernel knows it
 * @in_kernel: true if the event is in the kernel
 * @err: set to the reason if there is no line
 *
 * Return: 0, or -1 with @err set.
 */
int event_line_make(struct event_line *line, const struct definition *definition,
		    const struct place *place, bool in_kernel, struct error *err);
void event_line_free(struct event_line *line);

#endif
