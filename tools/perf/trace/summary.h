/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls put together: of each thread how often it made which, and how long they took.
 */
#ifndef PERF_TRACE_SUMMARY_H
#define PERF_TRACE_SUMMARY_H

#include "util/util.h"
#include "call.h"

/* All threads. */
struct summary {
	struct hash_table threads;
};

/**
 * summary_add() - a call has ended
 * @summary: what it is added to
 * @comm: name of the thread
 * @tid: the thread
 * @call: the call
 *
 * One that has not returned is counted, and takes no time.
 */
void summary_add(struct summary *summary, const char *comm, uint32_t tid,
		 const struct call *call);

/* The threads with the most calls first, and of each the calls that took longest. */
void summary_print(const struct summary *summary, FILE *out);

void summary_free(struct summary *summary);

#endif
