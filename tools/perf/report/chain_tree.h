/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes a tree of the call chains of a row: chains share the steps that they begin with.
 */
#ifndef PERF_REPORT_CHAIN_TREE_H
#define PERF_REPORT_CHAIN_TREE_H

#include "chain_store.h"

/*
 * Maximum number of steps of a chain below the row of a caller; "[...]" stands for the rest. Each
 * frame of a chain has such a row. By default, kernels record at most half as many frames.
 */
#define CALLER_STEPS_MAX 256

struct chain_cursor;

/**
 * struct chain_limit - the smallest nodes that are shown; all zeros: all nodes
 * @min_percent: minimum percentage
 * @fractal: true if the sum of the nodes at a fork is 100 %
 * @total: otherwise, period that is 100 %
 * @min_total: minimum sum
 */
struct chain_limit {
	double min_percent;
	bool fractal;
	uint64_t total;
	uint64_t min_total;
};

/**
 * struct chain_node - a function in the context of the nodes above it
 * @node: node in the hash table, by @parent and function
 * @parent: node above; NULL for the root
 * @step: function or address; NULL: root, or steps that are not shown
 * @self: sum of the periods of chains that end at this node
 * @total: sum of the periods of chains that end at this node or below
 * @nr_self: number of samples with chains that end at this node
 * @nr_total: number of samples with chains that end at this node or below
 * @depth: number of nodes above, with the root
 * @children: first node below
 * @recent: node below that the last chain went to, while the tree is made
 * @next: next node below @parent
 * @below: chains that reach this node and were not passed down, while the tree is made
 * @last_below: last one of @below
 */
struct chain_node {
	struct hash_node node;
	struct chain_node *parent;
	const struct chain_step *step;
	uint64_t self;
	uint64_t total;
	uint64_t nr_self;
	uint64_t nr_total;
	size_t depth;
	struct chain_node *children;
	struct chain_node *recent;
	struct chain_node *next;
	struct chain_cursor *below;
	struct chain_cursor *last_below;
};

/**
 * struct chain_tree - a tree of call chains
 * @root: root, which is not a function
 * @nodes: all other nodes
 * @pool: memory of @nodes
 */
struct chain_tree {
	struct chain_node root;
	struct hash_table nodes;
	struct pool pool;
};

/* Size in bytes of a buffer for chain_label(). */
#define CHAIN_LABEL_SIZE 24

void chain_tree_make(struct chain_tree *tree, const struct chain_list *list,
		     const struct chain_limit *limit);

/* Return the smallest period that is at least @min_percent of @total, in whole units. */
uint64_t chain_threshold(double min_percent, uint64_t total);

/* Return true if a node is a function or an address, and not the sum of steps that are left out. */
static inline bool chain_node_is_code(const struct chain_node *node)
{
	return node->step && node->step != &chain_not_kept;
}

const char *chain_label(const struct chain_node *node, char buffer[CHAIN_LABEL_SIZE]);

/* Return the text of a node with the offset in its function; the caller frees it. */
char *chain_text(const struct chain_node *node);

/* Compare two const struct chain_node *: the larger sum first, then by text. For qsort(). */
int chain_node_compare(const void *x, const void *y);

/*
 * Return the last node of the branch that starts at @node: a fork, or the end of a chain. The nodes
 * of a branch have one sum.
 */
const struct chain_node *chain_branch_end(const struct chain_node *node);

void chain_tree_free(struct chain_tree *tree);

#endif
