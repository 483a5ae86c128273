// SPDX-License-Identifier: GPL-2.0
/*
 * Stores the call chains of a histogram, each one once.
 */
#include "symbol/symbol.h"
#include "chain_store.h"

/**
 * location_key() - Return a number that all locations in a function have in common
 * @location: location; without a function it has a number of its own
 *
 * Return: The number.
 */
uint64_t location_key(const struct location *location)
{
	if (location->symbol)
		return (uintptr_t)location->symbol;
	return hash_mix((uintptr_t)location->dso, location->addr);
}

/*
 * Return the key of a step. Equal names of inlined functions are one step, whichever functions they
 * are inlined in: the next steps name those functions.
 */
static uint64_t step_key(const struct location *location)
{
	if (location->symbol && location->symbol->inlined)
		return (uintptr_t)location->symbol->name;
	return location_key(location);
}

/* The step that stands for the rest of rare chains. No function and no address has its key. */
const struct chain_step chain_not_kept = { .key = 1 };

/**
 * chain_step_like() - Find a chain, or add it
 * @store: store of chains
 * @like: first step, which may be of another store; its node and its rest are not used
 * @rest: chain after the first step, or NULL
 *
 * Return: The first step, which lives as long as the store.
 */
const struct chain_step *chain_step_like(struct chain_store *store, const struct chain_step *like,
					 const struct chain_step *rest)
{
	uint64_t hash = hash_mix(hash_mix((uintptr_t)rest, like->key), like->symbol ? 0 : like->ip);
	struct chain_step *step;
	struct hash_node *node;

	for (node = hash_table_first(&store->steps, hash); node; node = hash_table_next(node)) {
		step = hash_entry(node, struct chain_step, node);
		if (step->rest == rest && step->key == like->key &&
		    (step->symbol || step->ip == like->ip))
			return step;
	}
	step = pool_take(&store->pool, sizeof(*step));
	step->rest = rest;
	step->key = like->key;
	step->symbol = like->symbol;
	step->ip = like->ip;
	step->offset = like->offset;
	hash_table_add(&store->steps, &step->node, hash);
	return step;
}

/**
 * chain_step_get() - Find a chain, or add it
 * @store: store of chains
 * @location: first step; a step without a function is shown by its own address
 * @rest: chain after the first step, or NULL
 *
 * Return: The first step, which lives as long as the store.
 */
const struct chain_step *chain_step_get(struct chain_store *store, const struct location *location,
					const struct chain_step *rest)
{
	struct chain_step step = {
		.key = step_key(location),
		.symbol = location->symbol,
		.ip = location->ip,
	};

	if (store->by_address) {
		step.key = hash_mix(step.key, location->ip);
		step.offset = location->symbol_offset;
	}
	return chain_step_like(store, &step, rest);
}

static struct listed_chain *get_listed(struct chain_store *store, struct chain_list *list,
				       const struct chain_step *first)
{
	uint64_t hash = hash_mix((uintptr_t)list, (uintptr_t)first);
	struct listed_chain *chain;
	struct hash_node *node;

	for (node = hash_table_first(&store->listed, hash); node; node = hash_table_next(node)) {
		chain = hash_entry(node, struct listed_chain, node);
		if (chain->list == list && chain->first == first)
			return chain;
	}
	chain = pool_take(&store->pool, sizeof(*chain));
	chain->list = list;
	chain->first = first;
	if (list->last)
		list->last->next = chain;
	else
		list->first = chain;
	list->last = chain;
	hash_table_add(&store->listed, &chain->node, hash);
	return chain;
}

/**
 * chain_list_add() - Add the chain of samples to a list
 * @store: store that has the chain
 * @list: list; must not move afterwards
 * @first: first step of the chain
 * @period: sum of the periods of the samples with this chain that are added
 * @nr: number of these samples
 * @whole: true to show the chain up to its last step
 *
 * Return: The chain in the list, which lives as long as the store.
 */
struct listed_chain *chain_list_add(struct chain_store *store, struct chain_list *list,
				    const struct chain_step *first, uint64_t period, uint64_t nr,
				    bool whole)
{
	struct listed_chain *chain = get_listed(store, list, first);

	chain->whole |= whole;
	chain->period += period;
	chain->nr += nr;
	return chain;
}

/* Return the memory of the chains, in bytes. */
size_t chain_store_size(const struct chain_store *store)
{
	return store->pool.size + hash_table_size(&store->steps) + hash_table_size(&store->listed);
}

/* Free the chains. Lists with chains of the store must not be used afterwards. */
void chain_store_free(struct chain_store *store)
{
	hash_table_free(&store->steps);
	hash_table_free(&store->listed);
	pool_free(&store->pool);
}
