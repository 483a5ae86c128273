/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scheduling delays: the times from the wake-up or preemption of a task until it runs.
 */
#ifndef PERF_SCHED_LATENCY_H
#define PERF_SCHED_LATENCY_H

#include "sched_event.h"

/* Orders of the table, the largest number first. */
enum latency_order {
	LATENCY_BY_AVERAGE,
	LATENCY_BY_MAX,
	LATENCY_BY_SWITCHES,
	LATENCY_BY_RUNTIME,
};

/**
 * struct latency_table - the tasks of a recording
 * @tasks: tasks by number
 * @hide: true if the next event is not counted, but has its effect on the states of tasks
 * @has_waking: true if there are SCHED_WAKING events, each of which precedes a SCHED_WAKEUP event
 */
struct latency_table {
	struct hash_table tasks;
	bool hide;
	bool has_waking;
};

/* Add the next event in the order of time. */
void latency_table_add(struct latency_table *latency, const struct sched_event *event);

/**
 * latency_table_print() - Print the runtime, the switches and the delays of tasks
 * @latency: state after the last event
 * @out: stream to print to
 * @by_task: true for a row for each task, false for a row for each name
 * @order: order of the rows
 */
void latency_table_print(struct latency_table *latency, FILE *out, bool by_task,
			 enum latency_order order);

void latency_table_free(struct latency_table *latency);

#endif
