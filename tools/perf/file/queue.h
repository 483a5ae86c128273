/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sorting records by time.
 *
 * A recording is a concatenation of pieces of several ring buffers, each roughly in order. A
 * FINISHED_ROUND record means that every buffer has been read once more, so nothing older than
 * the newest record of the previous round can follow. Without rounds, the queue keeps as much
 * as fits into its memory.
 */
#ifndef PERF_FILE_QUEUE_H
#define PERF_FILE_QUEUE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*record_deliver_fn)(void *context, const struct perf_event_header *record,
				  uint64_t offset);

struct queued_record;
struct record_block;

/**
 * struct record_queue - records that wait for older ones
 * @deliver: function that is called for each record in order
 * @context: first argument of @deliver
 * @bytes_max: memory of waiting records, bytes; beyond it, the older half is delivered
 * @records: waiting records, in order of arrival
 * @nr: number of @records
 * @room: allocated number of @records
 * @open: block that gets the next record, or NULL
 * @block_bytes: memory of all blocks, bytes
 * @newest: largest time that has arrived
 * @round_newest: @newest at the end of the last round
 * @delivered: time of the last delivered record
 * @nr_late: number of records that arrived after a younger one had been delivered
 */
struct record_queue {
	record_deliver_fn deliver;
	void *context;
	size_t bytes_max;
	struct queued_record *records;
	size_t nr;
	size_t room;
	struct record_block *open;
	size_t block_bytes;
	uint64_t newest;
	uint64_t round_newest;
	uint64_t delivered;
	uint64_t nr_late;
};

void record_queue_add(struct record_queue *q, const struct perf_event_header *record,
		      uint64_t time, uint64_t offset);
void record_queue_round(struct record_queue *q);
void record_queue_flush(struct record_queue *q);

#endif
