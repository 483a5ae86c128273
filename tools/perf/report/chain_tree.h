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

/**
 * struct chain_node - a function in the context of the nodes above it
 * @node: node in the hash table, by @parent and function
 * @parent: node above; NULL for the root
 * @step: function or address; NULL: root, or steps that are not shown
 * @self: sum of the periods of chains that end at this node
 * @total: sum of the periods of chains that end at this node or below
 * @nr_self: number of samples with chains that end at this node
 * @nr_total: number of samples with chains that end at this node or below
 * @children: first node below
 * @next: next node below @parent
 */
struct chain_node {
	struct hash_node node;
	struct chain_node *parent;
	const struct chain_step *step;
	uint64_t self;
	uint64_t total;
	uint64_t nr_self;
	uint64_t nr_total;
	struct chain_node *children;
	struct chain_node *next;
};

/**
 * struct chain_tree - a tree of call chains
 * @root: root, which is not a function
 * @nodes: all other nodes
 */
struct chain_tree {
	struct chain_node root;
	struct hash_table nodes;
};

/* Size in bytes of a buffer for chain_label(). */
#define CHAIN_LABEL_SIZE 24

void chain_tree_make(struct chain_tree *tree, const struct chain_list *list);
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
