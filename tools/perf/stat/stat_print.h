/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints counts as a table, as CSV and as JSON lines.
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
 * struct stat_style - the style of the output
 * @out: stream to print to
 * @format: format
 * @separator: text between the fields of CSV
 * @big_num: true to group the digits of large numbers as the locale does
 * @cgroups: true to print the control group of each event
 * @runs: number of executions of the command
 * @summary: true to mark the sums of intervals in CSV
 */
struct stat_style {
	FILE *out;
	enum stat_format format;
	const char *separator;
	bool big_num;
	bool cgroups;
	unsigned int runs;
	bool summary;
};

enum stat_state { STAT_COUNTED, STAT_NOT_COUNTED, STAT_NOT_SUPPORTED };

/* Return the text in the place of a count: "<not counted>" or "<not supported>". */
const char *stat_state_text(enum stat_state state);

/* The scope of a row: all that was counted of an event, one CPU, one thread, or a part's CPUs. */
enum stat_places {
	PLACE_ALL, PLACE_CPU, PLACE_THREAD, PLACE_CORE, PLACE_DIE, PLACE_SOCKET, PLACE_NODE,
};

/**
 * struct stat_row - a count to print
 * @event: event
 * @state: state; only STAT_COUNTED has a value
 * @value: mean of the scaled count, in the event's own unit
 * @noise: spread of @value over the runs, in percent
 * @times: mean times enabled and running over the runs
 * @metric: number that follows from the count
 * @cpu: CPU that was counted on, or -1
 * @task: task that was counted, "COMM-TID", or NULL
 * @places: scope of the row
 * @part: part of the machine that was counted on, or NULL
 * @nr_counters: with @part, the number of its CPUs that were counted on
 * @interval: time since the start in ns, for interval printing; otherwise 0
 * @summary: true if the row is the sum of intervals
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
	enum stat_places places;
	const char *part;
	unsigned int nr_counters;
	uint64_t interval;
	bool summary;
};

/* Print the title of the table; @what describes the target, as in struct target. */
void stat_print_head(const struct stat_style *style, const char *what);

/* Print the titles of a table of intervals. */
void stat_print_interval_head(const struct stat_style *style, enum stat_places places);

void stat_print_row(const struct stat_style *style, const struct stat_row *row);

/**
 * stat_print_times() - Print the times at the end of the table
 * @style: style of the output
 * @elapsed: elapsed times of all runs, in seconds
 * @user: time in user mode in seconds; negative: unknown
 * @system: time in the kernel in seconds
 */
void stat_print_times(const struct stat_style *style, const struct spread *elapsed, double user,
		      double system);

/* Print a note below the table, or to stderr if programs read the output. */
void stat_print_note(const struct stat_style *style, const char *note);

#endif
