// SPDX-License-Identifier: GPL-2.0
/* The resolved samples of one event. */
#include <stdlib.h>
#include <string.h>

#include "samples.h"

/**
 * struct known_record - a record whose sample is kept
 * @node: node in the store, by the lower half of the key
 * @high: upper half of the key
 * @sample: sample
 * @pointed: counts of the chain, if it is one of frame pointers
 */
struct known_record {
	struct hash_node node;
	uint64_t high;
	struct kept_sample *sample;
	struct pointer_mark pointed;
};

/* Return the two halves of a key. Each mixes all of it, so that equal halves mean equal records. */
static struct sample_key whole_key(const struct record_key *key)
{
	const struct record *record = key->record;
	uint64_t task = (uint64_t)record->id.pid << 32 | record->id.tid;
	uint64_t place = hash_mix(record->sample.cgroup, record->id.cpu);

	return (struct sample_key){
		.low = hash_mix(hash_mix(key->code.low, task), place),
		.high = hash_mix(hash_mix(key->code.high, place), task),
	};
}

bool samples_add_again(struct sample_store *store, const struct record_key *key, uint64_t period,
		       struct pointer_counts *pointed)
{
	struct sample_key whole = whole_key(key);
	struct known_record *known;
	struct hash_node *node;

	for (node = hash_table_first(&store->known, whole.low); node;
	     node = hash_table_next(node)) {
		known = hash_entry(node, struct known_record, node);
		if (known->high != whole.high)
			continue;
		known->sample->period += period;
		known->sample->nr++;
		store->period += period;
		latency_add(&store->latency, period, key->code.running);
		store->nr_samples++;
		pointer_counts_add(pointed, known->pointed);
		return true;
	}
	return false;
}

void samples_note(struct sample_store *store, const struct record_key *key,
		  struct kept_sample *sample, struct pointer_mark pointed)
{
	struct sample_key whole = whole_key(key);
	struct known_record *known = xcalloc(1, sizeof(*known));

	known->high = whole.high;
	known->sample = sample;
	known->pointed = pointed;
	hash_table_add(&store->known, &known->node, whole.low);
}

static bool is_same_location(const struct location *a, const struct location *b)
{
	return a->ip == b->ip && a->addr == b->addr && a->symbol == b->symbol && a->dso == b->dso &&
	       a->mode == b->mode && a->back == b->back && a->depth == b->depth;
}

static uint64_t hash_location(uint64_t hash, const struct location *at)
{
	return hash_mix(hash_mix(hash, at->ip), (uintptr_t)at->symbol ^ (uintptr_t)at->dso);
}

static struct kept_frame *keep_frame(struct sample_store *store, const struct location *at,
				     struct kept_frame *caller)
{
	uint64_t hash = hash_location((uintptr_t)caller, at);
	struct kept_frame *frame;
	struct hash_node *node;

	for (node = hash_table_first(&store->frames, hash); node; node = hash_table_next(node)) {
		frame = hash_entry(node, struct kept_frame, node);
		if (frame->caller == caller && is_same_location(&frame->at, at))
			return frame;
	}
	frame = xcalloc(1, sizeof(*frame));
	frame->caller = caller;
	frame->at = *at;
	if (caller)
		caller->uses++;
	hash_table_add(&store->frames, &frame->node, hash);
	return frame;
}

static struct kept_frame *keep_chain(struct sample_store *store, const struct callchain *chain)
{
	struct kept_frame *frame = NULL;
	size_t i;

	for (i = chain->nr; i-- > 0;)
		frame = keep_frame(store, &chain->frames[i], frame);
	return frame;
}

/* Return true if a sample has values that struct kept_sample has no members for. */
static bool has_more(const struct sample_point *point)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(point->fields); i++) {
		if (point->fields[i])
			return true;
	}
	return point->trace || point->parent || point->branch.from.ip || point->branch.to.ip;
}

static bool is_same_branch(const struct branch *a, const struct branch *b)
{
	return !memcmp(&a->entry, &b->entry, sizeof(a->entry)) &&
	       is_same_location(&a->from, &b->from) && is_same_location(&a->to, &b->to);
}

static bool has_same_more(const struct kept_sample *sample, const struct sample_point *point)
{
	const struct sample_point *more = sample->more;

	if (!more)
		return !has_more(point);
	return more->trace == point->trace && more->parent == point->parent &&
	       !memcmp(more->fields, point->fields, sizeof(point->fields)) &&
	       is_same_branch(&more->branch, &point->branch);
}

static bool is_same(const struct kept_sample *sample, const struct sample_point *point,
		    const struct kept_frame *chain)
{
	return sample->pid == point->pid && sample->tid == point->tid &&
	       sample->cpu == point->cpu && sample->running == point->running &&
	       sample->comm == point->comm && sample->cgroup == point->cgroup &&
	       sample->chain == chain &&
	       is_same_location(&sample->at, &point->at) && has_same_more(sample, point);
}

static uint64_t hash_point(const struct sample_point *point, const struct kept_frame *chain)
{
	uint64_t hash = hash_location((uintptr_t)chain, &point->at);
	size_t i;

	hash = hash_mix(hash, (uint64_t)point->tid << 32 | point->cpu);
	hash = hash_mix(hash, point->running);
	hash = hash_mix(hash, (uintptr_t)point->trace ^ (uintptr_t)point->comm);
	for (i = 0; i < ARRAY_SIZE(point->fields); i++)
		hash = hash_mix(hash, (uintptr_t)point->fields[i]);
	return hash_mix(hash_location(hash, &point->branch.from), point->branch.entry.cycles);
}

static struct kept_sample *make_sample(struct sample_store *store,
				       const struct sample_point *point, struct kept_frame *chain)
{
	struct kept_sample *sample = xcalloc(1, sizeof(*sample));

	sample->pid = point->pid;
	sample->tid = point->tid;
	sample->cpu = point->cpu;
	sample->running = point->running;
	sample->comm = point->comm;
	sample->cgroup = point->cgroup;
	sample->at = point->at;
	sample->chain = chain;
	if (chain)
		chain->uses++;
	if (has_more(point)) {
		sample->more = xmalloc(sizeof(*point));
		*sample->more = *point;
	}
	if (store->samples.nr == store->room) {
		store->room = store->room ? store->room * 2 : 1024;
		store->order = xreallocarray(store->order, store->room, sizeof(*store->order));
	}
	store->order[store->samples.nr] = sample;
	return sample;
}

static struct kept_sample *get_sample(struct sample_store *store, const struct sample_point *point,
				      struct kept_frame *chain)
{
	uint64_t hash = hash_point(point, chain);
	struct kept_sample *sample;
	struct hash_node *node;

	for (node = hash_table_first(&store->samples, hash); node; node = hash_table_next(node)) {
		sample = hash_entry(node, struct kept_sample, node);
		if (is_same(sample, point, chain))
			return sample;
	}
	sample = make_sample(store, point, chain);
	hash_table_add(&store->samples, &sample->node, hash);
	return sample;
}

struct kept_sample *samples_add(struct sample_store *store, const struct sample_point *point,
				const struct callchain *chain, uint64_t period)
{
	struct callchain cut = callchain_cut(chain);
	struct kept_sample *sample = get_sample(store, point, keep_chain(store, &cut));

	sample->period += period << store->shift;
	sample->nr += 1ULL << store->shift;
	store->period += period << store->shift;
	latency_add(&store->latency, period, point->running);
	store->nr_samples += 1ULL << store->shift;
	return sample;
}

void samples_add_branches(struct sample_store *store, const struct sample_point *sample,
			  struct machine *machine, const struct thread *thread,
			  const struct record *record)
{
	static const struct callchain no_chain;
	struct sample_point point = *sample;
	uint64_t i;

	for (i = 0; i < record->sample.branches.nr; i++) {
		branch_resolve(&point.branch, machine, thread, record, i);
		point.at = point.branch.to;
		samples_add(store, &point, &no_chain, 1);
	}
}

void samples_add_other(struct sample_store *store, uint64_t period, uint32_t running)
{
	store->nr_samples++;
	store->period += period;
	latency_add(&store->latency, period, running);
}

static void add_frame(struct callchain *chain, const struct location *at)
{
	if (chain->nr == chain->room) {
		chain->room = chain->room ? chain->room * 2 : 64;
		chain->frames = xreallocarray(chain->frames, chain->room, sizeof(*chain->frames));
	}
	chain->frames[chain->nr++] = *at;
}

void kept_sample_get(const struct kept_sample *sample, struct sample_point *point,
		     struct callchain *chain)
{
	const struct kept_frame *frame;

	if (sample->more)
		*point = *sample->more;
	else
		*point = (struct sample_point){
			.pid = sample->pid, .tid = sample->tid, .cpu = sample->cpu,
			.running = sample->running, .comm = sample->comm,
			.cgroup = sample->cgroup, .at = sample->at,
		};
	chain->nr = 0;
	for (frame = sample->chain; frame; frame = frame->caller)
		add_frame(chain, &frame->at);
}

static void free_sample(struct hash_node *node)
{
	struct kept_sample *sample = hash_entry(node, struct kept_sample, node);

	free(sample->more);
	free(sample);
}

/* Remove frames that nothing points to any more, from the innermost on. */
static void release_frames(struct sample_store *store, struct kept_frame *frame)
{
	struct kept_frame *caller;

	for (; frame && !--frame->uses; frame = caller) {
		caller = frame->caller;
		hash_table_remove(&store->frames, &frame->node);
		free(frame);
	}
}

void samples_decay(struct sample_store *store)
{
	size_t i, nr = store->samples.nr, left = 0;

	store->period = 0;
	store->nr_samples = 0;
	for (i = 0; i < nr; i++) {
		struct kept_sample *sample = store->order[i];

		sample->period -= sample->period / 8;
		sample->nr -= sample->nr / 8;
		if (sample->nr < 1ULL << store->shift >> 3) {
			hash_table_remove(&store->samples, &sample->node);
			release_frames(store, sample->chain);
			free_sample(&sample->node);
			continue;
		}
		store->period += sample->period;
		store->nr_samples += sample->nr;
		store->order[left++] = sample;
	}
}

void samples_clear(struct sample_store *store)
{
	unsigned int shift = store->shift;

	samples_free(store);
	*store = (struct sample_store){ .shift = shift };
}

void samples_free(struct sample_store *store)
{
	hash_table_free_all(&store->samples, free_sample);
	hash_table_free_all(&store->frames, hash_node_free);
	hash_table_free_all(&store->known, hash_node_free);
	free(store->order);
}
