/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event as tracefs has it: Documentation/trace/kprobetrace.rst and uprobetracer.rst.
 */
#ifndef PERF_PROBE_EVENT_LINE_H
#define PERF_PROBE_EVENT_LINE_H

#include "definition.h"
#include "place.h"

/**
 * struct event_line - an event that is to be
 * @group: its group
 * @event: its name
 * @where: the function and what is behind it
 * @text: what is written to tracefs
 * @in_kernel: it is the kernel's, not that of a program or library
 */
struct event_line {
	char *group;
	char *event;
	char *where;
	char *text;
	bool in_kernel;
};

/**
 * event_line_make() - make the line of a definition
 * @line: where to
 * @definition: what the user has written
 * @place: where it is; NULL: the kernel alone knows
 * @in_kernel: it is in the kernel
 * @err: why not
 *
 * Return: 0, or -1 with @err set; it is to be freed in both cases.
 */
int event_line_make(struct event_line *line, const struct definition *definition,
		    const struct place *place, bool in_kernel, struct error *err);
void event_line_free(struct event_line *line);

#endif
