// SPDX-License-Identifier: GPL-2.0
/* The time between two context switches of a thread. */
#include <stdlib.h>

#include "spans.h"

/* The last switch of a thread, which may have had another name then. */
struct last_switch {
	struct hash_node node;
	const struct profile_switch *last;
};

static struct last_switch *get_last(struct hash_table *table, uint32_t tid)
{
	struct hash_node *node = hash_table_first(table, hash_number(tid));
	struct last_switch *last;

	for (; node; node = hash_table_next(node)) {
		last = hash_entry(node, struct last_switch, node);
		if (last->last->thread->tid == tid)
			return last;
	}
	last = xcalloc(1, sizeof(*last));
	hash_table_add(table, &last->node, hash_number(tid));
	return last;
}

static int compare(const void *x, const void *y)
{
	const struct export_span *a = x, *b = y;

	if (a->from->thread != b->from->thread)
		return a->from->thread->id < b->from->thread->id ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

struct export_span *export_spans(const struct profile *p, bool on_cpu, size_t *nr)
{
	struct export_span *spans = xcalloc(p->nr_switches + 1, sizeof(*spans));
	struct hash_table table = { 0 };
	size_t i;

	*nr = 0;
	for (i = 0; i < p->nr_switches; i++) {
		const struct profile_switch *now = &p->switches[i];
		struct last_switch *last = get_last(&table, now->thread->tid);

		if (last->last && last->last->out != on_cpu && now->out == on_cpu &&
		    now->time >= last->last->time)
			spans[(*nr)++] = (struct export_span){ .from = last->last, .to = now };
		last->last = now;
	}
	hash_table_free_all(&table, hash_node_free);
	qsort(spans, *nr, sizeof(*spans), compare);
	return spans;
}
