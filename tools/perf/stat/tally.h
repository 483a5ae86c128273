/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of perf stat: sums of counters for intervals and runs.
 */
#ifndef PERF_STAT_TALLY_H
#define PERF_STAT_TALLY_H

#include "util/util.h"
#include "measure/measure.h"
#include "cpu_parts.h"
#include "named_metric.h"
#include "stat_print.h"

/**
 * struct tally - a row
 * @now: latest count of this run
 * @before: count at the end of the last interval
 * @value: scaled counts of the runs
 * @sum: sums of counts and times over the runs
 */
struct tally {
	struct count now;
	struct count before;
	struct spread value;
	struct count sum;
};

/**
 * struct tallies - all rows; the rows of an event follow each other
 * @kind: scope of each row
 * @events: events
 * @metrics: named metrics of the events
 * @places: number of rows per event
 * @rows: rows
 * @cpus: CPUs of the rows, for PLACE_CPU
 * @tasks: names of the threads of the rows, for PLACE_THREAD
 * @parts: parts of the machine, for PLACE_CORE, PLACE_DIE, PLACE_SOCKET and PLACE_NODE
 */
struct tallies {
	enum stat_places kind;
	const struct event_list *events;
	const struct named_metrics *metrics;
	size_t places;
	struct tally *rows;
	int *cpus;
	char **tasks;
	struct cpu_parts parts;
};

/*
 * Make rows for counters. Does nothing for the counters of a later run, which have the same rows.
 */
void tallies_prepare(struct tallies *t, enum stat_places kind, const struct counters *cs,
		     const struct named_metrics *metrics);

/*
 * Read all counters into the rows, except those of events that the tool measures: their rows are 0.
 */
void tallies_read(struct tallies *t, const struct counters *cs);

/* Add a count to the row of a CPU and a task, both given by index as in counters_read_event(). */
void tallies_add(struct tallies *t, size_t event, size_t cpu, size_t task,
		 const struct count *count);

/* Add the counts that were read last, at the end of a run, to the result. */
void tallies_take_run(struct tallies *t);

/**
 * tallies_print_interval() - Print the counts of an interval
 * @t: rows after tallies_read()
 * @cs: counters of the rows
 * @style: style of the output
 * @wall: length of the interval in ns
 * @start: time since the start of the run in ns
 */
void tallies_print_interval(struct tallies *t, const struct counters *cs,
			    const struct stat_style *style, double wall, uint64_t start);

/* Print the means over all runs; @wall is the mean length of a run in ns. */
void tallies_print_result(const struct tallies *t, const struct counters *cs,
			  const struct stat_style *style, double wall);

void tallies_free(struct tallies *t);

#endif
