// SPDX-License-Identifier: GPL-2.0
/*
 * Many call chains in one tree: chains that start alike share their start.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "chain_tree.h"

/* A tree without chains; freed with free() after the set. */
struct chain_node *chain_root_new(void)
{
	return xcalloc(1, sizeof(struct chain_node));
}

/**
 * location_key - a number that is the same for all of a function
 * @location: the place; one that is not in a known function stands for itself
 *
 * Return: the number.
 */
uint64_t location_key(const struct location *location)
{
	if (location->symbol)
		return (uintptr_t)location->symbol;
	return hash_mix((uintptr_t)location->dso, location->addr);
}

static struct chain_node *find_child(const struct chain_set *set, const struct chain_node *at,
				     uint64_t key, uint64_t hash)
{
	struct hash_node *node;

	for (node = hash_table_first(&set->nodes, hash); node; node = hash_table_next(node)) {
		struct chain_node *child = hash_entry(node, struct chain_node, node);

		if (child->parent == at && child->key == key)
			return child;
	}
	return NULL;
}

/**
 * chain_add - one step of a chain
 * @set: the set of the tree
 * @at: where the chain is so far
 * @location: its next place
 * @period: its period
 *
 * Return: where it is now.
 */
struct chain_node *chain_add(struct chain_set *set, struct chain_node *at,
			     const struct location *location, uint64_t period)
{
	struct chain_node *child;
	uint64_t key, hash;

	key = location_key(location);
	if (set->by_address)
		key = hash_mix(key, location->ip);
	hash = hash_mix((uintptr_t)at, key);
	child = find_child(set, at, key, hash);
	if (!child) {
		child = xcalloc(1, sizeof(*child));
		child->parent = at;
		child->key = key;
		child->symbol = location->symbol;
		child->ip = location->ip;
		child->next = at->children;
		at->children = child;
		hash_table_add(&set->nodes, &child->node, hash);
	}
	child->total += period;
	child->nr_total++;
	return child;
}

/* A chain with @period starts at the root @at. */
void chain_start(struct chain_node *at, uint64_t period)
{
	at->total += period;
	at->nr_total++;
}

/* A chain with @period ends at @at. */
void chain_end(struct chain_node *at, uint64_t period)
{
	at->self += period;
	at->nr_self++;
}

/* What a node is called; the caller frees it. */
char *chain_label(const struct chain_node *node)
{
	if (node->symbol)
		return xstrdup(symbol_name(node->symbol));
	return xasprintf("%#" PRIx64, node->ip);
}

static void free_chain_node(struct hash_node *node)
{
	free(hash_entry(node, struct chain_node, node));
}

void chain_set_free(struct chain_set *set)
{
	hash_table_free_all(&set->nodes, free_chain_node);
}
