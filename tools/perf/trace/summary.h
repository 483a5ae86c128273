/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums of system calls by thread: numbers of calls, and their durations.
 */
#ifndef PERF_TRACE_SUMMARY_H
#define PERF_TRACE_SUMMARY_H

#include "util/util.h"
#include "call.h"

/**
 * struct summary - the sums of all threads
 * @total: true to sum up all threads in one entry
 * @threads: entries of the threads
 */
struct summary {
	bool total;
	struct hash_table threads;
};

/**
 * summary_add() - Add a call
 * @summary: sums of all threads
 * @comm: name of the thread
 * @tid: thread
 * @call: call; without a return it is counted, but has no duration
 */
void summary_add(struct summary *summary, const char *comm, uint32_t tid,
		 const struct call *call);

/**
 * summary_print() - Print the threads, those with most calls first; for each, calls by duration
 * @summary: sums of all threads
 * @out: stream to print to
 * @errors: true to print a line for each errno of a call
 * @max_calls: maximum number of system calls of a thread; 0: all
 */
void summary_print(const struct summary *summary, FILE *out, bool errors, size_t max_calls);

void summary_free(struct summary *summary);

#endif
