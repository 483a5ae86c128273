/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Many call chains in one tree: chains that start alike share their start.
 */
#ifndef PERF_CHAIN_TREE_H
#define PERF_CHAIN_TREE_H

#include "hash_table.h"
#include "machine.h"

/**
 * struct chain_node - a function, called as the nodes above say
 * @node: in the set, by parent and function
 * @parent: the node above; NULL for a root
 * @key: says which function it is
 * @symbol: the function, or NULL
 * @ip: an address in it, for when @symbol is NULL
 * @self: periods of the chains that end here
 * @total: periods of the chains that end here or below
 * @nr_self: number of chains that end here
 * @nr_total: number of chains that end here or below
 * @children: the first node below
 * @next: the next one below the same parent
 */
struct chain_node {
	struct hash_node node;
	struct chain_node *parent;
	uint64_t key;
	struct symbol *symbol;
	uint64_t ip;
	uint64_t self;
	uint64_t total;
	uint64_t nr_self;
	uint64_t nr_total;
	struct chain_node *children;
	struct chain_node *next;
};

/**
 * struct chain_set - the nodes of many trees
 * @nodes: all of them but the roots
 * @by_address: an address is a node of its own, not a function as a whole
 */
struct chain_set {
	struct hash_table nodes;
	bool by_address;
};

struct chain_node *chain_root_new(void);
struct chain_node *chain_add(struct chain_set *set, struct chain_node *at,
			     const struct location *location, uint64_t period);
void chain_start(struct chain_node *at, uint64_t period);
void chain_end(struct chain_node *at, uint64_t period);
uint64_t location_key(const struct location *location);
char *chain_label(const struct chain_node *node);
void chain_set_free(struct chain_set *set);

#endif
