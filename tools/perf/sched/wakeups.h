/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who woke whom up: the chain of wake-ups that a task runs for.
 */
#ifndef PERF_SCHED_WAKEUPS_H
#define PERF_SCHED_WAKEUPS_H

#include "sched_event.h"

/**
 * struct wakeups - what is known at one moment
 * @tasks: by number, those that were woken up
 * @running: who runs on each CPU; a negative number: that is not known
 * @nr_cpus: of @running
 */
struct wakeups {
	struct hash_table tasks;
	struct sched_task_id *running;
	uint32_t nr_cpus;
};

/* Take the next event, in the order of time. */
void wakeups_add(struct wakeups *w, const struct sched_event *event);

/**
 * wakeups_print() - print why a task ran, in a line; nothing where that is not known
 * @w: before the event that ends its running
 * @out: where to
 * @tid: the task
 * @start: when it began to run, ns
 */
void wakeups_print(const struct wakeups *w, FILE *out, int32_t tid, uint64_t start);

void wakeups_free(struct wakeups *w);

#endif
