// SPDX-License-Identifier: GPL-2.0
/*
 * Differences between readings of a counter, for samples that read counters
 * (PERF_SAMPLE_READ).
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
 * read_counts_advance() - Return the difference from the last reading of a counter
 * @counts: last readings
 * @id: id of the counter
 * @tid: thread that an inherited counter counts; 0 for other counters
 * @value: value that was read
 *
 * Return: The difference; 0 if the value is smaller, because the counter was reset.
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
