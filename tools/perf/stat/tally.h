/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf stat knows about each of its rows: the sums of counters, from
 * interval to interval and from run to run.
 */
#ifndef PERF_STAT_TALLY_H
#define PERF_STAT_TALLY_H

#include "util/util.h"
#include "measure/measure.h"
#include "named_metric.h"
#include "stat_print.h"

/**
 * struct tally - one row
 * @now: as last read, in this run
 * @before: as read at the interval before
 * @value: scaled counts, over the runs
 * @sum: counts and times, summed over the runs
 */
struct tally {
	struct count now;
	struct count before;
	struct spread value;
	struct count sum;
};

/**
 * struct tallies - all rows, those of an event next to one another
 * @kind: what a row is about
 * @events: the events
 * @metrics: what was asked for by name and is to be said about them
 * @places: rows per event
 * @rows: the rows
 * @cpus: the CPUs of the rows, for PLACE_CPU
 * @tasks: the names of the threads of the rows, for PLACE_THREAD
 */
struct tallies {
	enum stat_places kind;
	const struct event_list *events;
	const struct named_metrics *metrics;
	size_t places;
	struct tally *rows;
	int *cpus;
	char **tasks;
};

/* Prepare rows for counters; for those of later runs, which are alike, do nothing. */
void tallies_prepare(struct tallies *t, enum stat_places kind, const struct counters *cs,
		     const struct named_metrics *metrics);

/* Read all counters into the rows. */
void tallies_read(struct tallies *t, const struct counters *cs);

/* A run has ended: what was read last becomes part of the result. */
void tallies_take_run(struct tallies *t);

/**
 * tallies_print_interval() - print what was counted since the last time
 * @t: rows that were read
 * @cs: their counters
 * @style: how to print
 * @wall: ns since the last time
 * @start: ns since the start of the run
 */
void tallies_print_interval(struct tallies *t, const struct counters *cs,
			    const struct stat_style *style, double wall, uint64_t start);

/* Print the means of all runs, of @wall ns each. */
void tallies_print_result(const struct tallies *t, const struct counters *cs,
			  const struct stat_style *style, double wall);

void tallies_free(struct tallies *t);

#endif
