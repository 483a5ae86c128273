// SPDX-License-Identifier: GPL-2.0
/* Sorting records by time. */
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "queue.h"

/* Bytes of records in a block; a record of more than a quarter has a block of its own. */
#define BLOCK_SIZE (32 * 1024)

/**
 * struct record_block - memory of records
 * @size: size of @bytes
 * @used: bytes that have been given to records
 * @waiting: number of records in the block that wait
 * @bytes: records, 8-byte aligned
 */
struct record_block {
	uint32_t size;
	uint32_t used;
	uint64_t waiting;
	char bytes[] __attribute__((aligned(8)));
};

struct queued_record {
	uint64_t time;
	uint64_t offset;
	struct perf_event_header *record;
	struct record_block *block;
};

/* Memory of a block, as malloc() gives it. */
static size_t block_memory(size_t size)
{
	return sizeof(struct record_block) + size + 16;
}

/*
 * Memory of the waiting records: their blocks; their entries in the list, of which half may be
 * unused; and the second list while they are being sorted.
 */
static size_t memory_of(const struct record_queue *q)
{
	return q->block_bytes + q->nr * 3 * sizeof(struct queued_record);
}

static struct record_block *add_block(struct record_queue *q, uint32_t size)
{
	struct record_block *block = xmalloc(sizeof(*block) + size);

	block->size = size;
	block->used = 0;
	block->waiting = 0;
	q->block_bytes += block_memory(size);
	return block;
}

static void free_block(struct record_queue *q, struct record_block *block)
{
	if (!block)
		return;
	q->block_bytes -= block_memory(block->size);
	free(block);
}

/* Return a block with room for @size bytes. */
static struct record_block *block_for(struct record_queue *q, uint32_t size)
{
	if (size > BLOCK_SIZE / 4)
		return add_block(q, size);
	/* A full block has waiting records: the last of them will free it. */
	if (!q->open || q->open->size - q->open->used < size)
		q->open = add_block(q, BLOCK_SIZE);
	return q->open;
}

static void keep(struct record_queue *q, struct queued_record *r,
		 const struct perf_event_header *record)
{
	uint32_t size = (record->size + 7U) & ~7U;
	struct record_block *block = block_for(q, size);

	r->block = block;
	r->record = (struct perf_event_header *)(block->bytes + block->used);
	memcpy(r->record, record, record->size);
	block->used += size;
	block->waiting++;
}

static void release(struct record_queue *q, struct record_block *block)
{
	if (--block->waiting)
		return;
	if (block == q->open)
		block->used = 0;
	else
		free_block(q, block);
}

/* Return the end of the records from @start on that are in order. */
static size_t run_end(const struct queued_record *records, size_t start, size_t nr)
{
	size_t end = start + 1;

	while (end < nr && records[end - 1].time <= records[end].time)
		end++;
	return end;
}

/* Merge the sorted @from[@start..@middle) and @from[@middle..@end) into @to, at the same places. */
static void merge(const struct queued_record *from, struct queued_record *to, size_t start,
		  size_t middle, size_t end)
{
	size_t a = start, b = middle, at = start;

	while (a < middle && b < end)
		to[at++] = from[b].time < from[a].time ? from[b++] : from[a++];
	memcpy(to + at, from + a, (middle - a) * sizeof(*to));
	at += middle - a;
	memcpy(to + at, from + b, (end - b) * sizeof(*to));
}

/*
 * Merge each two neighbours of the parts that are in order. Return: true if all of @to is one such
 * part.
 */
static bool merge_runs(const struct queued_record *from, struct queued_record *to, size_t nr)
{
	size_t start = 0, middle, end;

	do {
		middle = run_end(from, start, nr);
		end = middle < nr ? run_end(from, middle, nr) : nr;
		merge(from, to, start, middle, end);
		if (!start && end == nr)
			return true;
		start = end;
	} while (start < nr);
	return false;
}

/*
 * Sort the records by time. Equal times keep the order of arrival. A part of the list from one ring
 * buffer is nearly always in order, so few merges are needed.
 */
static void sort(struct record_queue *q)
{
	struct queued_record *from = q->records, *to, *merged;
	bool sorted = run_end(from, 0, q->nr) >= q->nr;

	if (sorted)
		return;
	to = xreallocarray(NULL, q->nr, sizeof(*to));
	while (!sorted) {
		sorted = merge_runs(from, to, q->nr);
		merged = to;
		to = from;
		from = merged;
	}
	if (from != q->records)
		q->room = q->nr;
	q->records = from;
	free(to);
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
		q->deliver(q->context, r->record, r->offset);
		release(q, r->block);
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
	r->offset = offset;
	keep(q, r, record);
	if (time > q->newest)
		q->newest = time;
	/* A block is freed with its last record: half of the records may free too little. */
	while (q->nr && memory_of(q) > q->bytes_max) {
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
	free_block(q, q->open);
	q->open = NULL;
}
