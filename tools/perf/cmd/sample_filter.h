/* SPDX-License-Identifier: GPL-2.0 */
/* The options that choose samples of a recording: by time, task, CPU and function. */
#ifndef PERF_CMD_SAMPLE_FILTER_H
#define PERF_CMD_SAMPLE_FILTER_H

#include <argp.h>

#include "machine/machine.h"

/* A span of time, in ns of the recording's clock; both ends are included. */
struct time_span {
	uint64_t start;
	uint64_t end;
};

/**
 * struct sample_filter - the samples that the user wants
 * @time: argument of --time, or NULL
 * @spans: spans of --time
 * @nr_spans: number of @spans
 * @pids: wanted processes; empty: all
 * @tids: wanted threads; empty: all
 * @cpus: wanted CPUs; empty: all
 * @symbols: names of the wanted functions, separated by commas; NULL: all
 * @part: text that the names of the wanted functions contain; NULL: all
 * @hide_unresolved: leave out samples without a known function
 */
struct sample_filter {
	const char *time;
	struct time_span *spans;
	size_t nr_spans;
	struct int_list pids;
	struct int_list tids;
	struct int_list cpus;
	const char *symbols;
	const char *part;
	bool hide_unresolved;
};

/* A parser for struct argp.children; its input is a struct sample_filter. */
extern const struct argp sample_filter_argp;

/**
 * sample_filter_start() - Find the spans of --time, and check that samples have what is asked for
 * @f: filter
 * @session: recording; percentages refer to the times in its features
 *
 * Return: 0, or EXIT_USAGE after an error message.
 */
int sample_filter_start(struct sample_filter *f, const struct session *session);

/* Return true if the time and the CPU of a sample are wanted. */
bool sample_filter_wants(const struct sample_filter *f, const struct record *record);

/* Return true if a task is wanted. */
bool sample_filter_wants_task(const struct sample_filter *f, int pid, int tid);

/* Return true if a function is wanted. */
bool sample_filter_wants_symbol(const struct sample_filter *f, const struct location *at);

void sample_filter_free(struct sample_filter *f);

#endif
