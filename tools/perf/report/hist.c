// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms: sums of the samples with equal sort keys.
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

		if (sort_key_value(key, a) != sort_key_value(key, b))
			return false;
	}
	return true;
}

static uint64_t hash_point(const struct hist *hist, const struct sample_point *point)
{
	uint64_t hash = 0;
	size_t i;

	for (i = 0; i < hist->keys->nr; i++)
		hash = hash_mix(hash, sort_key_value(hist->keys->keys[i], point));
	return hash;
}

static struct hist_entry *find_entry(const struct hist *hist, const struct sample_point *point,
				     uint64_t hash)
{
	struct hash_node *node;

	for (node = hash_table_first(&hist->entries, hash); node; node = hash_table_next(node)) {
		struct hist_entry *entry = hash_entry(node, struct hist_entry, node);

		if (is_same(hist, &entry->point, point))
			return entry;
	}
	return NULL;
}

/**
 * hist_find() - Find the entry of a sort key
 * @hist: histogram, which may be empty
 * @point: sort keys
 *
 * Return: The entry, or NULL.
 */
const struct hist_entry *hist_find(const struct hist *hist, const struct sample_point *point)
{
	return hist->entries.nr ? find_entry(hist, point, hash_point(hist, point)) : NULL;
}

static struct hist_entry *get_entry(struct hist *hist, const struct sample_point *point)
{
	uint64_t hash = hash_point(hist, point);
	struct hist_entry *entry = find_entry(hist, point, hash);

	if (entry) {
		/* The latest name of a process is shown. */
		entry->point.comm = point->comm;
		return entry;
	}
	entry = xcalloc(1, sizeof(*entry));
	entry->point = *point;
	hash_table_add(&hist->entries, &entry->node, hash);
	return entry;
}

/* Store a chain, in the order in which it is shown. */
static void keep_chain(struct hist *hist, const struct callchain *chain)
{
	const struct chain_step *rest = NULL;
	size_t i, frame;

	if (hist->steps_room < chain->nr) {
		hist->steps_room = chain->nr;
		hist->steps = xreallocarray(hist->steps, hist->steps_room, sizeof(*hist->steps));
	}
	for (i = 0; i < chain->nr; i++) {
		frame = hist->caller_first ? i : chain->nr - 1 - i;
		rest = chain_step_get(&hist->chains, &chain->frames[frame], rest);
		hist->steps[frame] = rest;
	}
}

static void touch(struct hist *hist, struct hist_entry *entry, struct listed_chain *chain)
{
	struct touched_list *touched = &hist->touched;

	if (touched->nr == touched->room) {
		touched->room = touched->room ? touched->room * 2 : 64;
		touched->list = xreallocarray(touched->list, touched->room,
					      sizeof(*touched->list));
	}
	touched->list[touched->nr++] = (struct touched){ entry, chain };
}

static void add_self(struct hist *hist, const struct sample_point *point,
		     const struct callchain *chain, uint64_t period, uint64_t nr)
{
	struct hist_entry *entry = get_entry(hist, point);
	size_t first = hist->caller_first ? chain->nr - 1 : 0;
	struct listed_chain *listed = NULL;

	entry->self += period;
	latency_add(&entry->self_latency, period, point->running);
	entry->nr_self += nr;
	entry->total += period;
	latency_add(&entry->total_latency, period, point->running);
	entry->nr_total += nr;
	entry->last_sample = hist->nr_samples;
	if (hist->with_chains && chain->nr)
		listed = chain_list_add(&hist->chains, &entry->chains, hist->steps[first], period,
					nr, true);
	touch(hist, entry, listed);
}

/*
 * Add the sample to each caller, but only once to a caller that occurs several times in the chain.
 */
static void add_callers(struct hist *hist, const struct sample_point *point,
			const struct callchain *chain, uint64_t period, uint64_t nr)
{
	struct sample_point caller = *point;
	size_t i, frame;

	for (i = 0; i < chain->nr; i++) {
		struct listed_chain *listed = NULL;
		struct hist_entry *entry;

		frame = hist->caller_first ? chain->nr - 1 - i : i;
		caller.at = chain->frames[frame];
		entry = get_entry(hist, &caller);
		if (entry->last_sample == hist->nr_samples)
			continue;
		entry->last_sample = hist->nr_samples;
		entry->total += period;
		latency_add(&entry->total_latency, period, point->running);
		entry->nr_total += nr;
		if (entry->height < frame)
			entry->height = frame;
		if (hist->with_chains)
			listed = chain_list_add(&hist->chains, &entry->chains, hist->steps[frame],
						period, nr, false);
		touch(hist, entry, listed);
	}
}

/**
 * hist_add_many() - Add equal samples
 * @hist: histogram
 * @point: sort keys of the samples
 * @chain: call chain of at most CHAIN_FRAMES_MAX frames; may have none
 * @period: sum of the periods of the samples
 * @nr: number of samples, at least 1
 */
void hist_add_many(struct hist *hist, const struct sample_point *point,
		   const struct callchain *chain, uint64_t period, uint64_t nr)
{
	hist_fold(hist);
	hist->nr_samples += nr;
	hist->period += period;
	latency_add(&hist->latency, period, point->running);
	hist->touched.nr = 0;
	if (hist->with_chains)
		keep_chain(hist, chain);
	add_self(hist, point, chain, period, nr);
	if (hist->children)
		add_callers(hist, point, chain, period, nr);
}

struct callchain callchain_cut(const struct callchain *chain)
{
	struct callchain cut = *chain;

	if (chain->nr > CHAIN_FRAMES_MAX) {
		cut.nr = CHAIN_FRAMES_MAX;
		note_samples(1, "have more than 1024 callers; the outermost are not shown", NULL);
	}
	return cut;
}

/**
 * hist_add() - Add a sample
 * @hist: histogram
 * @point: sort keys of the sample
 * @chain: call chain; may have no frames
 * @period: period of the sample
 */
void hist_add(struct hist *hist, const struct sample_point *point,
	      const struct callchain *chain, uint64_t period)
{
	struct callchain cut = callchain_cut(chain);

	hist_add_many(hist, point, &cut, period, 1);
}

/**
 * hist_add_again() - Add a sample if equal ones have been added
 * @hist: histogram without branches
 * @key: key of the sample
 * @period: period of the sample
 * @pointed: counts of chains of frame pointers; the sample's chain is added
 *
 * Return: true if the sample was added; the entries have it only after hist_settle().
 */
bool hist_add_again(struct hist *hist, const struct sample_key *key, uint64_t period,
		    struct pointer_counts *pointed)
{
	if (!sample_memo_add(&hist->memo, key, period, pointed))
		return false;
	hist->nr_samples++;
	hist->period += period;
	latency_add(&hist->latency, period, key->running);
	return true;
}

/**
 * hist_note() - Remember the sample that was just added, for hist_add_again()
 * @hist: histogram without branches
 * @key: key of the sample
 * @chain: call chain of the sample; a chain that is too long is noted for each sample
 * @pointed: counts of chains of frame pointers, of this sample alone
 */
void hist_note(struct hist *hist, const struct sample_key *key, const struct callchain *chain,
	       struct pointer_mark pointed)
{
	if (chain->nr <= CHAIN_FRAMES_MAX)
		sample_memo_note(&hist->memo, key, &hist->touched, pointed);
}

/* Add the samples of hist_add_again() to their entries. */
void hist_settle(struct hist *hist)
{
	sample_memo_settle(&hist->memo);
}

/**
 * hist_add_branches() - Add each branch of a sample, with period 1
 * @hist: histogram
 * @sample: sort keys of the sample
 * @machine: machine at the time of the sample
 * @thread: thread of the sample
 * @record: sample
 */
void hist_add_branches(struct hist *hist, const struct sample_point *sample,
		       struct machine *machine, const struct thread *thread,
		       const struct record *record)
{
	static const struct callchain no_chain;
	struct sample_point point = *sample;
	uint64_t i;

	for (i = 0; i < record->sample.branches.nr; i++) {
		branch_resolve(&point.branch, machine, thread, record, i);
		point.at = point.branch.to;
		hist_add(hist, &point, &no_chain, 1);
	}
}

/* An entry that is being sorted; the text of a key is made when it is first compared. */
struct sorted_entry {
	struct hist_entry *entry;
	char *texts[SORT_KEYS_MAX];
};

static const struct hist *sorting;

static const char *text_of(struct sorted_entry *sorted, size_t key)
{
	if (!sorted->texts[key])
		sorted->texts[key] = sort_key_text(sorting->keys->keys[key],
						   &sorted->entry->point, false);
	return sorted->texts[key];
}

static int compare_text(struct sorted_entry *x, struct sorted_entry *y)
{
	const struct sample_point *a = &x->entry->point, *b = &y->entry->point;
	size_t i;

	for (i = 0; i < sorting->keys->nr; i++) {
		const struct sort_key *key = sorting->keys->keys[i];
		int order;

		if (sort_key_value(key, a) == sort_key_value(key, b))
			continue;
		order = strcmp(text_of(x, i), text_of(y, i));
		if (order)
			return order;
	}
	return sample_point_compare(a, b);
}

static int compare_latency(const struct hist_entry *a, const struct hist_entry *b)
{
	int order = sorting->children ? latency_compare(a->total_latency, b->total_latency) : 0;

	if (order)
		return order;
	if (a->height != b->height)
		return a->height > b->height ? -1 : 1;
	return latency_compare(a->self_latency, b->self_latency);
}

static int compare(const void *x, const void *y)
{
	struct sorted_entry *sorted_a = *(struct sorted_entry **)x;
	struct sorted_entry *sorted_b = *(struct sorted_entry **)y;
	const struct hist_entry *a = sorted_a->entry, *b = sorted_b->entry;
	int order = sorting->by_latency ? compare_latency(a, b) : 0;

	if (order)
		return order;
	if (sorting->children && a->total != b->total)
		return a->total > b->total ? -1 : 1;
	/* A caller comes before the functions that it calls. */
	if (a->height != b->height)
		return a->height > b->height ? -1 : 1;
	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	return compare_text(sorted_a, sorted_b);
}

/*
 * Count a sample that a filter leaves out, because percentages relate to all samples. @running
 * threads had a CPU.
 */
void hist_add_other(struct hist *hist, const struct sample *sample, uint32_t running)
{
	uint64_t period = hist->branches ? sample->branches.nr : sample->period;

	hist->nr_samples += hist->branches ? sample->branches.nr : 1;
	hist->period += period;
	latency_add(&hist->latency, period, running);
}

/**
 * hist_sorted() - Sort the entries
 * @hist: histogram
 *
 * Return: An array of hist->entries.nr entries, the largest first; the caller frees the array.
 */
struct hist_entry **hist_sorted(const struct hist *hist)
{
	size_t i, key, nr = hist->entries.nr;
	struct sorted_entry *all = xcalloc(nr, sizeof(*all)), **order = xcalloc(nr, sizeof(*order));
	struct hist_entry **sorted = xcalloc(nr, sizeof(*sorted));
	struct hash_node **nodes = hash_table_nodes(&hist->entries);

	for (i = 0; i < nr; i++) {
		all[i].entry = hash_entry(nodes[i], struct hist_entry, node);
		order[i] = &all[i];
	}
	free(nodes);
	sorting = hist;
	qsort(order, nr, sizeof(*order), compare);
	for (i = 0; i < nr; i++) {
		sorted[i] = order[i]->entry;
		for (key = 0; key < hist->keys->nr; key++)
			free(order[i]->texts[key]);
	}
	free(order);
	free(all);
	return sorted;
}

/* Return seven eighths of @n, rounded down, so that repeated calls reach 0. */
static uint64_t decayed(uint64_t n)
{
	return n - n / 8 - (n % 8 != 0);
}

/**
 * hist_decay() - Reduce the weight of the samples so far to seven eighths
 * @hist: histogram without call chains
 *
 * After many calls, the entry of a function that is not running any more is removed.
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
		if (!entry->total) {
			hash_table_remove(&hist->entries, &entry->node);
			free(entry);
		}
	}
	free(nodes);
}

/* Divide all periods and numbers, also those of the chains, by a power of two. */
void hist_divide(struct hist *hist, unsigned int shift)
{
	struct hash_node **nodes = hash_table_nodes(&hist->entries);
	size_t i;

	for (i = 0; i < hist->entries.nr; i++) {
		struct hist_entry *entry = hash_entry(nodes[i], struct hist_entry, node);
		struct listed_chain *chain;

		entry->self >>= shift;
		entry->total >>= shift;
		entry->nr_self >>= shift;
		entry->nr_total >>= shift;
		for (chain = entry->chains.first; chain; chain = chain->next) {
			chain->period >>= shift;
			chain->nr >>= shift;
		}
	}
	free(nodes);
	hist->period >>= shift;
	hist->nr_samples >>= shift;
}

/* Remove all samples. */
void hist_clear(struct hist *hist)
{
	hist_free(hist);
	hist->nr_samples = 0;
	hist->period = 0;
	hist->latency = (struct latency){ 0 };
}

void hist_free(struct hist *hist)
{
	hash_table_free_all(&hist->entries, hash_node_free);
	chain_store_free(&hist->chains);
	sample_memo_free(&hist->memo);
	free(hist->touched.list);
	hist->touched = (struct touched_list){ 0 };
	free(hist->steps);
	hist->steps = NULL;
	hist->steps_room = 0;
}
