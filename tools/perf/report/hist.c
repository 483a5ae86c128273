// SPDX-License-Identifier: GPL-2.0
/*
 * Samples put together: how much time, or how many events, went where.
 */
#include <stdlib.h>
#include <string.h>

#include "hist.h"

static bool is_same(const struct hist *hist, const struct sample_point *a,
		    const struct sample_point *b)
{
	size_t i;

	for (i = 0; i < hist->keys->nr; i++) {
		const struct sort_key *key = hist->keys->keys[i];

		if (key->value(a) != key->value(b))
			return false;
	}
	return true;
}

static struct hist_entry *get_entry(struct hist *hist, const struct sample_point *point)
{
	struct hist_entry *entry;
	struct hash_node *node;
	uint64_t hash = 0;
	size_t i;

	for (i = 0; i < hist->keys->nr; i++)
		hash = hash_mix(hash, hist->keys->keys[i]->value(point));
	for (node = hash_table_first(&hist->entries, hash); node; node = hash_table_next(node)) {
		entry = hash_entry(node, struct hist_entry, node);
		if (is_same(hist, &entry->point, point)) {
			/* A process is called what it was called last. */
			entry->point.comm = point->comm;
			return entry;
		}
	}
	entry = xcalloc(1, sizeof(*entry));
	entry->point = *point;
	if (hist->with_chains)
		entry->chains = chain_root_new();
	hash_table_add(&hist->entries, &entry->node, hash);
	return entry;
}

/* The innermost @nr frames, outermost of them first. */
static void add_chain_inward(struct hist *hist, struct hist_entry *entry,
			     const struct callchain *chain, size_t nr, uint64_t period)
{
	struct chain_node *at = entry->chains;

	chain_start(at, period);
	while (nr)
		at = chain_add(&hist->chains, at, &chain->frames[--nr], period);
	chain_end(at, period);
}

/* The frames from number @first outward. */
static void add_chain_outward(struct hist *hist, struct hist_entry *entry,
			      const struct callchain *chain, size_t first, uint64_t period)
{
	struct chain_node *at = entry->chains;
	size_t i;

	chain_start(at, period);
	for (i = first; i < chain->nr; i++)
		at = chain_add(&hist->chains, at, &chain->frames[i], period);
	chain_end(at, period);
}

static void add_self(struct hist *hist, const struct sample_point *point,
		     const struct callchain *chain, uint64_t period)
{
	struct hist_entry *entry = get_entry(hist, point);

	entry->self += period;
	entry->nr_self++;
	entry->total += period;
	entry->nr_total++;
	entry->last_sample = hist->nr_samples;
	if (!hist->with_chains || !chain->nr)
		return;
	if (hist->caller_first)
		add_chain_inward(hist, entry, chain, chain->nr, period);
	else
		add_chain_outward(hist, entry, chain, 0, period);
}

/* Everybody who called gets the sample, too, but once, however often he recurs. */
static void add_callers(struct hist *hist, const struct sample_point *point,
			const struct callchain *chain, uint64_t period)
{
	struct sample_point caller = *point;
	size_t i, frame;

	for (i = 0; i < chain->nr; i++) {
		struct hist_entry *entry;

		frame = hist->caller_first ? chain->nr - 1 - i : i;
		caller.at = chain->frames[frame];
		entry = get_entry(hist, &caller);
		if (entry->last_sample == hist->nr_samples)
			continue;
		entry->last_sample = hist->nr_samples;
		entry->total += period;
		entry->nr_total++;
		if (entry->height < frame)
			entry->height = frame;
		if (!hist->with_chains)
			continue;
		if (hist->caller_first)
			add_chain_inward(hist, entry, chain, frame + 1, period);
		else
			add_chain_outward(hist, entry, chain, frame, period);
	}
}

/**
 * hist_add - add a sample
 * @hist: the histogram
 * @point: where it was
 * @chain: who called; may have no frames
 * @period: how many events it stands for
 */
void hist_add(struct hist *hist, const struct sample_point *point,
	      const struct callchain *chain, uint64_t period)
{
	hist->nr_samples++;
	hist->period += period;
	add_self(hist, point, chain, period);
	if (hist->children)
		add_callers(hist, point, chain, period);
}

static const struct hist *sorting;

static int compare_text(const struct hist_entry *a, const struct hist_entry *b)
{
	size_t i;

	for (i = 0; i < sorting->keys->nr; i++) {
		const struct sort_key *key = sorting->keys->keys[i];
		char *text_a, *text_b;
		int order;

		if (key->value(&a->point) == key->value(&b->point))
			continue;
		text_a = key->text(&a->point, false);
		text_b = key->text(&b->point, false);
		order = strcmp(text_a, text_b);
		free(text_a);
		free(text_b);
		if (order)
			return order;
	}
	/* Different functions may have the same name. */
	if (a->point.at.addr != b->point.at.addr)
		return a->point.at.addr < b->point.at.addr ? -1 : 1;
	return 0;
}

static int compare(const void *x, const void *y)
{
	const struct hist_entry *a = *(struct hist_entry **)x, *b = *(struct hist_entry **)y;

	if (sorting->children && a->total != b->total)
		return a->total > b->total ? -1 : 1;
	/* Of a caller and what it calls, the caller comes first. */
	if (a->height != b->height)
		return a->height > b->height ? -1 : 1;
	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	return compare_text(a, b);
}

/* A sample that a filter leaves out: shares stay those of everything. */
void hist_add_other(struct hist *hist, uint64_t period)
{
	hist->nr_samples++;
	hist->period += period;
}

/**
 * hist_sorted - the entries, the largest first
 * @hist: the histogram
 *
 * Return: an array of hist->entries.nr entries; the caller frees the array.
 */
struct hist_entry **hist_sorted(const struct hist *hist)
{
	struct hist_entry **sorted = xcalloc(hist->entries.nr, sizeof(*sorted));
	struct hash_node **nodes = hash_table_nodes(&hist->entries);
	size_t i;

	for (i = 0; i < hist->entries.nr; i++)
		sorted[i] = hash_entry(nodes[i], struct hist_entry, node);
	free(nodes);
	sorting = hist;
	qsort(sorted, hist->entries.nr, sizeof(*sorted), compare);
	return sorted;
}

static void free_entry(struct hist_entry *entry)
{
	free(entry->chains);
	free(entry);
}

/* Seven eighths, rounded down: in the end 0. */
static uint64_t decayed(uint64_t n)
{
	return n - n / 8 - (n % 8 != 0);
}

/**
 * hist_decay - let samples count for less than those that will come
 * @hist: a histogram without call chains
 *
 * Each time they count for seven eighths of what they did; of a function that is
 * not running any more nothing is left in the end.
 */
void hist_decay(struct hist *hist)
{
	struct hash_node **nodes = hash_table_nodes(&hist->entries);
	size_t i, nr = hist->entries.nr;

	hist->period = 0;
	for (i = 0; i < nr; i++) {
		struct hist_entry *entry = hash_entry(nodes[i], struct hist_entry, node);

		entry->self = decayed(entry->self);
		entry->total = decayed(entry->total);
		entry->nr_self = decayed(entry->nr_self);
		entry->nr_total = decayed(entry->nr_total);
		hist->period += entry->self;
		if (!entry->self) {
			hash_table_remove(&hist->entries, &entry->node);
			free_entry(entry);
		}
	}
	free(nodes);
}

/* Forget all samples. */
void hist_clear(struct hist *hist)
{
	hist_free(hist);
	hist->nr_samples = 0;
	hist->period = 0;
}

static void free_entry_node(struct hash_node *node)
{
	free_entry(hash_entry(node, struct hist_entry, node));
}

void hist_free(struct hist *hist)
{
	hash_table_free_all(&hist->entries, free_entry_node);
	chain_set_free(&hist->chains);
}
