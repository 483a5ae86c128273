/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts as a table for people, as CSV and as JSON lines for programs.
 */
#ifndef PERF_STAT_STAT_PRINT_H
#define PERF_STAT_STAT_PRINT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/util.h"
#include "measure/measure.h"
#include "metric.h"

enum stat_format { STAT_TABLE, STAT_CSV, STAT_JSON };

/**
 * struct stat_style - how to print
 * @out: where to
 * @format: which of the three
 * @separator: between the fields of CSV
 * @big_num: group the digits of large numbers as the locale does
 * @runs: how often the command was executed
 */
struct stat_style {
	FILE *out;
	enum stat_format format;
	const char *separator;
	bool big_num;
	unsigned int runs;
};

enum stat_state { STAT_COUNTED, STAT_NOT_COUNTED, STAT_NOT_SUPPORTED };

/* What is printed in place of a count: "<not counted>". */
const char *stat_state_text(enum stat_state state);

/**
 * struct stat_row - one count to print
 * @event: what was counted
 * @state: whether there is a number
 * @value: mean of the scaled count, in the event's own unit
 * @noise: spread of @value over the runs, in percent
 * @times: enabled and running, mean over the runs
 * @metric: what the number means
 * @cpu: the CPU it is of, or -1
 * @task: the task it is of, "COMM-TID", or NULL
 * @interval: ns since the start for interval printing, or 0
 */
struct stat_row {
	const struct event *event;
	enum stat_state state;
	double value;
	double noise;
	struct count times;
	struct metric metric;
	int cpu;
	const char *task;
	uint64_t interval;
};

/* What the table is about: @what as struct target names it. */
void stat_print_head(const struct stat_style *style, const char *what);

/* What a row is about: an event as a whole, or on one CPU, or of one thread. */
enum stat_places { PLACE_ALL, PLACE_CPU, PLACE_THREAD };

/* The head of a table of intervals. */
void stat_print_interval_head(const struct stat_style *style, enum stat_places places);

void stat_print_row(const struct stat_style *style, const struct stat_row *row);

/**
 * stat_print_times() - the end of a table: how long it took
 * @style: how to print
 * @elapsed: in seconds, over all runs
 * @user: seconds in user mode, or a negative number when that is not known
 * @system: seconds in the kernel
 */
void stat_print_times(const struct stat_style *style, const struct spread *elapsed, double user,
		      double system);

/* Say something about the counts: below a table, else, as programs read it, on stderr. */
void stat_print_note(const struct stat_style *style, const char *note);

#endif
