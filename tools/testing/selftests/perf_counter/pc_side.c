// SPDX-License-Identifier: GPL-2.0
/*
 * A log of records in the order of their time.
 */
#include "pc_side.h"

int pc_log_open(struct pc_log *log, size_t size)
{
	memset(log, 0, sizeof(*log));
	log->size = size;
	log->max = size / 32;
	log->bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	log->entries = mmap(NULL, log->max * sizeof(*log->entries), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	return log->bytes == MAP_FAILED || log->entries == MAP_FAILED ? -1 : 0;
}

void pc_log_clear(struct pc_log *log)
{
	log->used = 0;
	log->n = 0;
	log->lost = 0;
}

int pc_log_take(struct pc_log *log, struct pc_ring *r, const struct perf_counter_attr *attr)
{
	static struct pc_sample sample;
	static union pc_record record;

	while (pc_ring_next(r, &record)) {
		if (log->n == log->max || log->used + record.header.size > log->size)
			return -1;
		if (record.header.type == PERF_RECORD_SAMPLE) {
			if (!pc_parse_sample(attr, &record, &sample))
				return -1;
		} else {
			pc_parse_id(attr, &record, &sample);
		}
		if (record.header.type == PERF_RECORD_LOST)
			log->lost += record.words[2];
		memcpy(log->bytes + log->used, &record, record.header.size);
		log->entries[log->n].time = sample.time;
		log->entries[log->n].rec = (void *)(log->bytes + log->used);
		log->used += record.header.size;
		log->n++;
	}
	return 0;
}

/*
 * Sort by time. Records of the same time stay in the order of their addresses, which is the order
 * of the ring.
 */
static int pc_log_order(const void *a, const void *b)
{
	const struct pc_entry *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->rec < y->rec ? -1 : 1;
}

void pc_log_sort(struct pc_log *log)
{
	qsort(log->entries, log->n, sizeof(*log->entries), pc_log_order);
}
