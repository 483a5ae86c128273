/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwinds samples while they are recorded: chains take the place of stacks.
 *
 *	buffers --records--> block --> thread: applies records in the order of time, unwinds
 *	                                 |
 *	                     file <------'  blocks in the order of arrival
 *
 * The recorder fills a block in each round. The thread has the state of the machine, and replaces
 * the stacks of samples in place, so that the order of the records does not change. A record of one
 * round may be older than one of the previous round, so a block is finished one round later.
 *
 * A sample keeps its stack if its chain does not reach the start of the thread, if a frame is a
 * guess, and while the thread is behind.
 */
#ifndef PERF_RECORD_UNWINDER_H
#define PERF_RECORD_UNWINDER_H

#include "file/file.h"
#include "writer.h"

/**
 * struct unwinder_counts - numbers of samples that were recorded with a stack
 * @unwound: samples that have a chain instead of a stack
 * @incomplete: samples with a stack because the chain would be incomplete or a guess
 * @behind: samples with a stack because the thread was behind
 */
struct unwinder_counts {
	uint64_t unwound;
	uint64_t incomplete;
	uint64_t behind;
};

struct unwinder;

/**
 * unwinder_start() - Start the thread
 * @events: events of the recording, with their ids; copied
 * @nr: number of @events
 * @err: receives the reason of a failure
 *
 * Return: The unwinder, or NULL with @err set.
 */
struct unwinder *unwinder_start(const struct data_event *events, size_t nr, struct error *err);

/* Add records of the current round, in the form that files have; they are copied. */
void unwinder_add(struct unwinder *u, const void *records, size_t bytes);

/*
 * End a round, and write the blocks that are finished. Waits for the thread if it is far behind.
 * Return: 0 or a negative errno.
 */
int unwinder_round(struct unwinder *u, struct data_writer *writer);

/*
 * Wait until all records have been processed, and write them. No record can be added any more.
 * Return: 0 or a negative errno.
 */
int unwinder_finish(struct unwinder *u, struct data_writer *writer);

/* Return the counts, after unwinder_finish(). */
struct unwinder_counts unwinder_counts(const struct unwinder *u);

/* End the thread. Records that have not been written are dropped. */
void unwinder_free(struct unwinder *u);

#endif
