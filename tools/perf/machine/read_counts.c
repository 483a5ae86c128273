// SPDX-License-Identifier: GPL-2.0
/*
 * Samples that read counters (PERF_SAMPLE_READ): how far each counter went
 * since the sample before.
 */
#include <stdlib.h>

#include "util/util.h"
#include "read_counts.h"

struct counter {
	struct hash_node node;
	uint64_t id;
	uint32_t tid;
	uint64_t value;
};

static struct counter *get_counter(struct read_counts *counts, uint64_t id, uint32_t tid)
{
	uint64_t hash = hash_mix(hash_number(id), tid);
	struct counter *counter;
	struct hash_node *node;

	for (node = hash_table_first(&counts->counters, hash); node;
	     node = hash_table_next(node)) {
		counter = hash_entry(node, struct counter, node);
		if (counter->id == id && counter->tid == tid)
			return counter;
	}
	counter = xcalloc(1, sizeof(*counter));
	counter->id = id;
	counter->tid = tid;
	hash_table_add(&counts->counters, &counter->node, hash);
	return counter;
}

/**
 * read_counts_advance - a counter was read
 * @counts: what was read before
 * @id: the counter
 * @tid: the thread that an inherited counter counts; 0 for other counters
 * @value: what it says now
 *
 * Return: how far it went since it was read before; 0 if it went back, because
 * it was reset.
 */
uint64_t read_counts_advance(struct read_counts *counts, uint64_t id, uint32_t tid,
			     uint64_t value)
{
	struct counter *counter = get_counter(counts, id, tid);
	uint64_t before = counter->value;

	counter->value = value;
	return value > before ? value - before : 0;
}

static void free_counter(struct hash_node *node)
{
	free(hash_entry(node, struct counter, node));
}

void read_counts_free(struct read_counts *counts)
{
	hash_table_free_all(&counts->counters, free_counter);
}
