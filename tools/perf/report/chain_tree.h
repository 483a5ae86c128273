/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call chains of a row in one tree: chains that start alike share their start.
 */
#ifndef PERF_REPORT_CHAIN_TREE_H
#define PERF_REPORT_CHAIN_TREE_H

#include "chain_store.h"

/*
 * A row of a caller shows this many steps of a chain; what is behind them is "[...]".
 * Every frame of a chain has such a row. Kernels record half as many frames unless they
 * are told otherwise.
 */
#define CALLER_STEPS_MAX 256

/**
 * struct chain_node - a function, called as the nodes above say
 * @node: in the tree, by parent and function
 * @parent: the node above; NULL for the root
 * @step: what it is; NULL: the root, or steps that are not shown
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
	const struct chain_step *step;
	uint64_t self;
	uint64_t total;
	uint64_t nr_self;
	uint64_t nr_total;
	struct chain_node *children;
	struct chain_node *next;
};

/**
 * struct chain_tree - a tree
 * @root: its root, no function
 * @nodes: all other nodes
 */
struct chain_tree {
	struct chain_node root;
	struct hash_table nodes;
};

/* Room for a label that is no name. */
#define CHAIN_LABEL_SIZE 24

void chain_tree_make(struct chain_tree *tree, const struct chain_list *list);
const char *chain_label(const struct chain_node *node, char buffer[CHAIN_LABEL_SIZE]);
void chain_tree_free(struct chain_tree *tree);

#endif
