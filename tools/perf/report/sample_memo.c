// SPDX-License-Identifier: GPL-2.0
/*
 * The samples of a histogram that differ only in their periods.
 *
 * Most chains of a recording with nearly unique chains never come again, so the entries of a
 * sample are kept only when its key comes for the second time.
 */
#include <stdlib.h>
#include <string.h>

#include "hist_entry.h"
#include "sample_memo.h"

/**
 * struct repeats - the entries of equal samples
 * @period: sum of the periods that are not in the entries yet
 * @latency: sum of the latencies that are not in the entries yet
 * @nr: number of samples that are not in the entries yet
 * @nr_touched: number of elements of @touched
 * @touched: entries
 */
struct repeats {
	uint64_t period;
	struct latency latency;
	uint64_t nr;
	size_t nr_touched;
	struct touched touched[];
};

/**
 * struct sample_kind - samples with one key
 * @node: node in the table, by the lower half of the key
 * @high: upper half of the key
 * @pointed: counts of the chain, if it is one of frame pointers
 * @repeats: entries of the samples; NULL until the second sample
 */
struct sample_kind {
	struct hash_node node;
	uint64_t high;
	struct pointer_mark pointed;
	struct repeats *repeats;
};

/* Both halves mix every bit of @word into their upper bits, by different odd numbers. */
static void mix(struct sample_key *key, uint64_t word)
{
	key->low = (key->low ^ word) * 0x9e3779b97f4a7c15ULL;
	key->low ^= key->low >> 32;
	key->high = (key->high + word) * 0xd6e8feb86659fd93ULL;
	key->high ^= key->high >> 29;
}

struct sample_key sample_key_of(const struct machine *machine, const struct thread *thread,
				const struct record *record)
{
	const struct sample *sample = &record->sample;
	struct sample_key key = { .high = sample->chain_nr, .running = machine_running(machine) };
	uint64_t i;

	mix(&key, (uintptr_t)thread->comm);
	mix(&key, thread->process->version);
	mix(&key, machine->kernel_version);
	mix(&key, cpu_mode_of(record->misc));
	mix(&key, key.running);
	mix(&key, sample->ip);
	for (i = 0; i < sample->chain_nr; i++)
		mix(&key, sample->chain[i]);
	key.low = hash_number(key.low);
	key.high = hash_number(key.high);
	return key;
}

static struct sample_kind *find_kind(const struct sample_memo *memo, const struct sample_key *key)
{
	struct hash_node *node = hash_table_first(&memo->kinds, key->low);

	for (; node; node = hash_table_next(node)) {
		struct sample_kind *kind = hash_entry(node, struct sample_kind, node);

		if (kind->high == key->high)
			return kind;
	}
	return NULL;
}

bool sample_memo_add(struct sample_memo *memo, const struct sample_key *key, uint64_t period,
		     struct pointer_counts *pointed)
{
	struct sample_kind *kind = find_kind(memo, key);

	if (!kind || !kind->repeats)
		return false;
	kind->repeats->period += period;
	latency_add(&kind->repeats->latency, period, key->running);
	kind->repeats->nr++;
	pointer_counts_add(pointed, kind->pointed);
	return true;
}

static struct repeats *make_repeats(struct pool *pool, const struct touched_list *touched)
{
	size_t size = touched->nr * sizeof(*touched->list);
	struct repeats *repeats = pool_take(pool, sizeof(*repeats) + size);

	*repeats = (struct repeats){ .nr_touched = touched->nr };
	memcpy(repeats->touched, touched->list, size);
	return repeats;
}

void sample_memo_note(struct sample_memo *memo, const struct sample_key *key,
		      const struct touched_list *touched, struct pointer_mark pointed)
{
	struct sample_kind *kind = find_kind(memo, key);

	if (kind) {
		kind->repeats = make_repeats(&memo->pool, touched);
		return;
	}
	kind = pool_take(&memo->pool, sizeof(*kind));
	kind->high = key->high;
	kind->pointed = pointed;
	hash_table_add(&memo->kinds, &kind->node, key->low);
}

static void settle(struct repeats *repeats)
{
	struct hist_entry *own;
	size_t i;

	if (!repeats || !repeats->nr)
		return;
	own = repeats->touched[0].entry;
	own->self += repeats->period;
	latency_add_sum(&own->self_latency, repeats->latency);
	own->nr_self += repeats->nr;
	for (i = 0; i < repeats->nr_touched; i++) {
		struct hist_entry *entry = repeats->touched[i].entry;
		struct listed_chain *chain = repeats->touched[i].chain;

		entry->total += repeats->period;
		latency_add_sum(&entry->total_latency, repeats->latency);
		entry->nr_total += repeats->nr;
		if (chain) {
			chain->period += repeats->period;
			chain->nr += repeats->nr;
		}
	}
	repeats->period = 0;
	repeats->latency = (struct latency){ 0 };
	repeats->nr = 0;
}

void sample_memo_settle(struct sample_memo *memo)
{
	struct hash_node **nodes = hash_table_nodes(&memo->kinds);
	size_t i;

	for (i = 0; i < memo->kinds.nr; i++)
		settle(hash_entry(nodes[i], struct sample_kind, node)->repeats);
	free(nodes);
}

size_t sample_memo_size(const struct sample_memo *memo)
{
	return memo->pool.size + hash_table_size(&memo->kinds);
}

void sample_memo_free(struct sample_memo *memo)
{
	hash_table_free(&memo->kinds);
	pool_free(&memo->pool);
}
