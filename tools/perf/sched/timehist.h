/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Each time that a task ran, and how long it had slept and waited before.
 */
#ifndef PERF_SCHED_TIMEHIST_H
#define PERF_SCHED_TIMEHIST_H

#include "sched_event.h"
#include "wakeups.h"

/**
 * struct timehist - tasks and CPUs at one moment
 * @tasks: by number; the idle task of each CPU is one of its own
 * @last: when each CPU switched last, ns; 0: it has not yet
 * @nr_cpus: of @last
 * @has_waking: there are events of SCHED_WAKING, which come before those of SCHED_WAKEUP
 * @with_wakeups: it is said who woke the task up
 * @wakeups: who that was
 */
struct timehist {
	struct hash_table tasks;
	uint64_t *last;
	uint32_t nr_cpus;
	bool has_waking;
	bool with_wakeups;
	struct wakeups wakeups;
};

void timehist_print_head(FILE *out);

/* Take the next event, in the order of time, and print what it ends. */
void timehist_add(struct timehist *t, FILE *out, const struct sched_event *event);

void timehist_free(struct timehist *t);

#endif
