/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of the events that the tool measures itself: duration_time, user_time, system_time.
 */
#ifndef PERF_STAT_TOOL_TIMES_H
#define PERF_STAT_TOOL_TIMES_H

#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

#include "measure/measure.h"
#include "tally.h"

/* CPU time that the kernel has accounted, ns. */
struct cpu_times {
	uint64_t user;
	uint64_t system;
	bool known;
};

/**
 * struct tool_times - a measurement of times
 * @counters: counters of the measurement, whose CPUs and tasks are measured
 * @target: target of the measurement
 * @command: process of the command, for TARGET_COMMAND
 * @children: children that have ended count for their parents
 * @split: tasks are measured one by one
 * @start: start of the measurement
 * @before: CPU times at the start, by CPU for TARGET_CPUS, else by task or process
 * @nr: number of @before
 * @nr_reads: number of readings since the start
 */
struct tool_times {
	const struct counters *counters;
	const struct target *target;
	pid_t command;
	bool children;
	bool split;
	struct timespec start;
	struct cpu_times *before;
	size_t nr;
	uint64_t nr_reads;
};

/* Return true if an event of the list is measured by the tool. */
bool tool_times_are_wanted(const struct event_list *events);

/*
 * Start to measure at time @start. The other fields of @t before @start are set by the caller.
 * tool_times_free() ends the measurement.
 */
void tool_times_start(struct tool_times *t, const struct timespec *start);

/**
 * tool_times_read() - Set the rows of the tool's events
 * @t: measurement
 * @rows: rows after tallies_read()
 * @now: current time
 * @usage: resources that the command used, if it has ended; else NULL
 */
void tool_times_read(struct tool_times *t, struct tallies *rows, const struct timespec *now,
		     const struct rusage *usage);

void tool_times_free(struct tool_times *t);

#endif
