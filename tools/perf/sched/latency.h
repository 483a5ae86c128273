/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long each task waited for a CPU, all told.
 */
#ifndef PERF_SCHED_LATENCY_H
#define PERF_SCHED_LATENCY_H

#include "sched_event.h"

/* What it is sorted by, the largest first. */
enum latency_order {
	LATENCY_BY_AVERAGE,
	LATENCY_BY_MAX,
	LATENCY_BY_SWITCHES,
	LATENCY_BY_RUNTIME,
};

/**
 * struct latency - the tasks of a recording
 * @tasks: by number
 */
struct latency {
	struct hash_table tasks;
};

/* Take the next event, in the order of time. */
void latency_add(struct latency *latency, const struct sched_event *event);

/**
 * latency_print() - print the table
 * @latency: after the last event
 * @out: where to
 * @by_task: a row for each task; else tasks of one name have one together
 * @order: of the rows
 */
void latency_print(struct latency *latency, FILE *out, bool by_task, enum latency_order order);

void latency_free(struct latency *latency);

#endif
