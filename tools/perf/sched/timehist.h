/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Each time that a task ran, and the times that it slept and waited before.
 */
#ifndef PERF_SCHED_TIMEHIST_H
#define PERF_SCHED_TIMEHIST_H

#include "run_summary.h"
#include "sched_event.h"
#include "wakeups.h"

/**
 * struct timehist - tasks and CPUs at one time
 * @tasks: tasks by number; the idle tasks by their CPUs
 * @last: time in ns of each CPU's last switch; 0: no switch so far
 * @nr_cpus: number of @last
 * @has_waking: true if there are SCHED_WAKING events, each of which precedes a SCHED_WAKEUP event
 * @with_wakeups: true to print the task that woke up each task
 * @with_state: true to print the state in which a task was scheduled out
 * @with_prio: true to print the priority of a task
 * @with_next: true to print the task that runs next
 * @hide: true if the line of the next event is not wanted
 * @with_summary: true to sum up the runs of each task
 * @no_lines: true to print no lines, only the summary
 * @wakeups: state of the wake-ups
 * @summary: sums of the lines that are not hidden
 */
struct timehist {
	struct hash_table tasks;
	uint64_t *last;
	uint32_t nr_cpus;
	bool has_waking;
	bool with_wakeups;
	bool with_state;
	bool with_prio;
	bool with_next;
	bool hide;
	bool with_summary;
	bool no_lines;
	struct wakeups wakeups;
	struct run_summary summary;
};

/* Print the titles of the columns. */
void timehist_print_head(const struct timehist *t, FILE *out);

/* Add the next event in the order of time. A switch prints the line of the task that ran before. */
void timehist_add(struct timehist *t, FILE *out, const struct sched_event *event);

void timehist_free(struct timehist *t);

#endif
