/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records in the order of their times.
 *
 * A recording is a concatenation of pieces of several ring buffers, each more
 * or less in order. A FINISHED_ROUND record says: every buffer has been read
 * once more, so nothing older than the newest record of the round before can
 * follow. Where there are no rounds, the queue keeps what fits into its memory.
 */
#ifndef PERF_FILE_QUEUE_H
#define PERF_FILE_QUEUE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*record_deliver_fn)(void *context, const struct perf_event_header *record,
				  uint64_t offset);

struct queued_record;

/**
 * struct record_queue - records that wait for older ones
 * @deliver: called for each record when its turn has come
 * @context: first argument of @deliver
 * @bytes_max: memory that waiting records may take before the older half of them must go
 * @records: the records that wait, in order of arrival
 * @nr: number of @records
 * @room: allocated number of @records
 * @bytes: memory that @records take, all told
 * @arrived: how many records have come so far
 * @newest: largest time that has come
 * @round_newest: @newest when the last round finished
 * @delivered: time of the last record delivered
 * @nr_late: records that came after a younger one had been delivered
 */
struct record_queue {
	record_deliver_fn deliver;
	void *context;
	size_t bytes_max;
	struct queued_record *records;
	size_t nr;
	size_t room;
	size_t bytes;
	uint64_t arrived;
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
