/* SPDX-License-Identifier: GPL-2.0 */
/* Times at which the events of a measurement are enabled and disabled (-D). */
#ifndef PERF_CMD_DELAY_H
#define PERF_CMD_DELAY_H

#include <argp.h>

#include "measure/measure.h"

/**
 * struct delay - times since the start
 * @times: times in ms, ascending; events are enabled at the first one, disabled at the next one,
 *	and so on
 * @nr: number of @times; 0: events are enabled from the start
 * @next: index of the time that is waited for
 * @off: events are disabled from the start, until --control enables them (-D -1)
 */
struct delay {
	unsigned int *times;
	size_t nr;
	size_t next;
	bool off;
};

/* Parse -D: a number of ms, ranges such as "10-20,30-40", or -1 for events that stay disabled. */
void delay_parse(struct argp_state *state, struct delay *d, const char *text);

/*
 * Leave the events disabled at the start of the measurement if there is a delay; early events are
 * enabled at once.
 */
void delay_prepare(const struct delay *d, struct event_list *events);

/* Wait for the first time. Return: 0, or -1 with @err set. */
int delay_start(struct delay *d, struct watch *watch, struct error *err);

/*
 * Enable or disable the counters, as a time has come, and wait for the next time. Return: 0, or -1
 * with @err set.
 */
int delay_tick(struct delay *d, const struct counters *counters, struct watch *watch,
	       struct error *err);

/* Return true if the start of the measurement does not enable the events. */
static inline bool delay_is_wanted(const struct delay *d)
{
	return d->nr || d->off;
}

static inline bool delay_is_over(const struct delay *d)
{
	return d->next == d->nr;
}

void delay_free(struct delay *d);

#endif
