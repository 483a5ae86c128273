// SPDX-License-Identifier: GPL-2.0
/* Sorting records by time. */
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "queue.h"

struct queued_record {
	uint64_t time;
	uint64_t arrival;		/* keeps the order of equal times */
	uint64_t offset;
	struct perf_event_header *record;
};

/*
 * Return the memory that a waiting record takes: the copy of the record, as malloc() rounds it up;
 * its entry in the list, of which half may be unused; and a second entry while the list is being
 * sorted.
 */
static size_t memory_of(const struct perf_event_header *record)
{
	const size_t smallest = 32, unit = 16, head = 8;
	size_t copy = (record->size + head + unit - 1) / unit * unit;

	return (copy > smallest ? copy : smallest) + 3 * sizeof(struct queued_record);
}

static int compare(const void *a, const void *b)
{
	const struct queued_record *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->arrival < y->arrival ? -1 : x->arrival > y->arrival;
}

static void sort(struct record_queue *q)
{
	size_t i;

	for (i = 1; i < q->nr; i++) {
		if (compare(&q->records[i - 1], &q->records[i]) > 0) {
			qsort(q->records, q->nr, sizeof(*q->records), compare);
			return;
		}
	}
}

static void deliver_first(struct record_queue *q, size_t nr)
{
	size_t i;

	if (!nr)
		return;
	for (i = 0; i < nr; i++) {
		struct queued_record *r = &q->records[i];

		if (r->time < q->delivered)
			q->nr_late++;
		else
			q->delivered = r->time;
		q->bytes -= memory_of(r->record);
		q->deliver(q->context, r->record, r->offset);
		free(r->record);
	}
	memmove(q->records, q->records + nr, (q->nr - nr) * sizeof(*q->records));
	q->nr -= nr;
}

/* Count the sorted records that are not younger than @time. */
static size_t count_until(const struct record_queue *q, uint64_t time)
{
	size_t low = 0, high = q->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (q->records[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * record_queue_add - add a record
 * @q: queue
 * @record: record; copied
 * @time: time of the record
 * @offset: offset in the file, passed to @q->deliver
 */
void record_queue_add(struct record_queue *q, const struct perf_event_header *record,
		      uint64_t time, uint64_t offset)
{
	struct queued_record *r;

	if (q->nr == q->room) {
		q->room = q->room ? q->room * 2 : 1024;
		q->records = xreallocarray(q->records, q->room, sizeof(*q->records));
	}
	r = &q->records[q->nr++];
	r->time = time;
	r->arrival = q->arrived++;
	r->offset = offset;
	r->record = xmalloc(record->size);
	memcpy(r->record, record, record->size);
	q->bytes += memory_of(record);
	if (time > q->newest)
		q->newest = time;
	if (q->bytes > q->bytes_max) {
		sort(q);
		deliver_first(q, (q->nr + 1) / 2);
	}
}

/* End a round: deliver all records that no older record can follow. */
void record_queue_round(struct record_queue *q)
{
	sort(q);
	deliver_first(q, count_until(q, q->round_newest));
	q->round_newest = q->newest;
}

/* End the recording: deliver all records. */
void record_queue_flush(struct record_queue *q)
{
	sort(q);
	deliver_first(q, q->nr);
	free(q->records);
	q->records = NULL;
	q->room = 0;
}
