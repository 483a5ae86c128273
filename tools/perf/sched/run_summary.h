/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The runs of each task, and the idle time of each CPU.
 */
#ifndef PERF_SCHED_RUN_SUMMARY_H
#define PERF_SCHED_RUN_SUMMARY_H

#include <stdio.h>

#include "sched_event.h"

/**
 * struct run_summary - the runs of all tasks
 * @tasks: tasks by number, with the idle tasks by their CPUs
 * @first: time in ns of the first switch
 * @last: time in ns of the last switch
 */
struct run_summary {
	struct hash_table tasks;
	uint64_t first;
	uint64_t last;
};

/**
 * run_summary_add() - Add a run of a task
 * @summary: runs so far
 * @event: switch that ended the run
 * @run: length of the run in ns; 0 if its start is not known
 */
void run_summary_add(struct run_summary *summary, const struct sched_event *event, uint64_t run);

/* Note that process @ppid has created task @tid. */
void run_summary_fork(struct run_summary *summary, int32_t tid, int32_t ppid);

/**
 * run_summary_print() - Print a row for each task, and one for each CPU
 * @summary: all runs
 * @out: stream to print to
 * @nr_cpus: number of CPUs of the machine
 */
void run_summary_print(const struct run_summary *summary, FILE *out, uint32_t nr_cpus);

void run_summary_free(struct run_summary *summary);

#endif
