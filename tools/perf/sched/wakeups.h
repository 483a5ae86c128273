/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Chains of wake-ups, which end with the wake-up of the task that runs.
 */
#ifndef PERF_SCHED_WAKEUPS_H
#define PERF_SCHED_WAKEUPS_H

#include "sched_event.h"

/**
 * struct wakeups - wake-ups at one time
 * @tasks: tasks that were woken up, by number
 */
struct wakeups {
	struct hash_table tasks;
};

/* Add the next event in the order of time. */
void wakeups_add(struct wakeups *w, const struct sched_event *event);

/**
 * wakeups_print() - Print the chain of wake-ups of a task as a line, if it is known
 * @w: wake-ups before the task is scheduled out
 * @out: stream to print to
 * @tid: number of the task
 * @start: time in ns when the task was scheduled in
 */
void wakeups_print(const struct wakeups *w, FILE *out, int32_t tid, uint64_t start);

void wakeups_free(struct wakeups *w);

#endif
