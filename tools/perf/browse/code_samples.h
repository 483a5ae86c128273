/* SPDX-License-Identifier: GPL-2.0 */
/* The samples of a view by the addresses of their code. */
#ifndef PERF_BROWSE_CODE_SAMPLES_H
#define PERF_BROWSE_CODE_SAMPLES_H

#include "annotate/annotate.h"
#include "view.h"

/**
 * code_samples_add() - Sum up the samples of a view by function and address
 * @hits: receives the sums; whatever @event is, they are added as those of event 0
 * @view: view
 * @event: event of the view
 * @machine: machine with the mappings of BPF programs
 */
void code_samples_add(struct code_hits *hits, const struct view *view,
		      const struct browse_event *event, const struct machine *machine);

/**
 * code_samples_place() - Find a location in a function
 * @event: event
 * @symbol: function; for an inlined one, a location in the function around it is found
 * @at: set to the location
 *
 * Return: false if no sample was taken in the function or in functions that it called.
 */
bool code_samples_place(const struct browse_event *event, const struct symbol *symbol,
			struct location *at);

#endif
