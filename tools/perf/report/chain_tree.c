// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a tree of the call chains of a row: chains share the steps that they begin with.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"
#include "chain_tree.h"

/**
 * struct chain_cursor - a chain on its way down the tree
 * @next: next chain at the same node
 * @chain: chain
 * @step: first step of the chain below the node
 */
struct chain_cursor {
	struct chain_cursor *next;
	const struct listed_chain *chain;
	const struct chain_step *step;
};

/* Steps with equal keys are one node. */
static uint64_t node_key(const struct chain_step *step)
{
	return step ? step->key : 0;
}

static struct chain_node *get_child(struct chain_tree *tree, struct chain_node *parent,
				    const struct chain_step *step)
{
	struct chain_node *child = parent->recent;
	uint64_t key = node_key(step), hash;
	struct hash_node *node;

	/* The next chain often begins as the one before. */
	if (child && node_key(child->step) == key)
		return child;
	hash = hash_mix((uintptr_t)parent, key);
	for (node = hash_table_first(&tree->nodes, hash); node; node = hash_table_next(node)) {
		child = hash_entry(node, struct chain_node, node);
		if (child->parent == parent && node_key(child->step) == key) {
			parent->recent = child;
			return child;
		}
	}
	child = pool_take(&tree->pool, sizeof(*child));
	child->parent = parent;
	child->step = step;
	child->depth = parent->depth + 1;
	child->next = parent->children;
	parent->children = child;
	parent->recent = child;
	hash_table_add(&tree->nodes, &child->node, hash);
	return child;
}

/* Add a chain to a node, behind those that came before. */
static void take_chain(struct chain_node *node, struct chain_cursor *cursor)
{
	node->total += cursor->chain->period;
	node->nr_total += cursor->chain->nr;
	cursor->next = NULL;
	if (node->last_below)
		node->last_below->next = cursor;
	else
		node->below = cursor;
	node->last_below = cursor;
}

static void end_chain(struct chain_node *node, const struct listed_chain *chain)
{
	node->self += chain->period;
	node->nr_self += chain->nr;
}

/* Move the chains of a node to the nodes below it. */
static void pass_down(struct chain_tree *tree, struct chain_node *node)
{
	struct chain_cursor *cursor = node->below, *next;

	for (node->below = NULL; cursor; cursor = next) {
		const struct chain_step *step = cursor->step;
		const bool shown = cursor->chain->whole || node->depth < CALLER_STEPS_MAX;

		next = cursor->next;
		if (!step) {
			end_chain(node, cursor->chain);
			continue;
		}
		cursor->step = shown ? step->rest : NULL;
		take_chain(get_child(tree, node, shown ? step : NULL), cursor);
	}
}

/* Return true if a node below @parent may be shown. */
static bool is_large(const struct chain_node *node, const struct chain_limit *limit)
{
	uint64_t whole = limit->fractal ? node->parent->total - node->parent->self : limit->total;

	return node->total >= limit->min_total &&
	       node->total >= chain_threshold(limit->min_percent, whole);
}

/* Make the nodes below @first that may be shown, and their neighbours. */
static void make_nodes(struct chain_tree *tree, struct chain_node *first,
		       const struct chain_limit *limit)
{
	struct chain_node *node = first, *child;

	/* The list of the nodes to do is linked by @recent, which they need no more or not yet. */
	while (node) {
		struct chain_node *todo = node->recent;

		node->recent = NULL;
		pass_down(tree, node);
		for (child = node->children; child; child = child->next) {
			if (!is_large(child, limit))
				continue;
			child->recent = todo;
			todo = child;
		}
		node = todo;
	}
}

uint64_t chain_threshold(double min_percent, uint64_t total)
{
	return (uint64_t)(total * (min_percent / 100));
}

/**
 * chain_tree_make() - Make a tree of chains
 * @tree: filled in, to be freed with chain_tree_free(); must not move
 * @list: chains
 * @limit: smallest nodes that are shown; nodes below a smaller one are not made
 */
void chain_tree_make(struct chain_tree *tree, const struct chain_list *list,
		     const struct chain_limit *limit)
{
	const struct listed_chain *chain;
	struct chain_cursor *cursors;
	size_t nr = 0;

	*tree = (struct chain_tree){ 0 };
	for (chain = list->first; chain; chain = chain->next)
		nr++;
	cursors = xcalloc(nr, sizeof(*cursors));
	for (nr = 0, chain = list->first; chain; chain = chain->next, nr++) {
		cursors[nr] = (struct chain_cursor){ .chain = chain, .step = chain->first };
		take_chain(&tree->root, &cursors[nr]);
	}
	if (limit->fractal || is_large(&tree->root, limit))
		make_nodes(tree, &tree->root, limit);
	free(cursors);
}

/**
 * chain_label() - Return the text to show for a node
 * @node: node; not the root
 * @buffer: room for the text of a node without a name
 *
 * Return: The text, which may be in @buffer.
 */
const char *chain_label(const struct chain_node *node, char buffer[CHAIN_LABEL_SIZE])
{
	if (!node->step)
		return "[...]";
	if (node->step == &chain_not_kept)
		return "[not kept: rare chains]";
	if (node->step->symbol)
		return symbol_name(node->step->symbol);
	snprintf(buffer, CHAIN_LABEL_SIZE, "%#" PRIx64, node->step->ip);
	return buffer;
}

char *chain_text(const struct chain_node *node)
{
	char buffer[CHAIN_LABEL_SIZE];
	const struct chain_step *step = node->step;
	char *offset = step && step->offset ? xasprintf("+0x%" PRIx64, step->offset) : NULL;
	char *text = xasprintf("%s%s%s", chain_label(node, buffer),
			       step && step->symbol ? symbol_suffix(step->symbol) : "",
			       offset ?: "");

	free(offset);
	return text;
}

int chain_node_compare(const void *x, const void *y)
{
	const struct chain_node *a = *(struct chain_node **)x, *b = *(struct chain_node **)y;
	char buffer_a[CHAIN_LABEL_SIZE], buffer_b[CHAIN_LABEL_SIZE];
	int order;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	order = strcmp(chain_label(a, buffer_a), chain_label(b, buffer_b));
	/*
	 * Order steps without a function by address. The steps that are not shown are one node,
	 * without a step.
	 */
	if (!order && a->step && b->step && a->step->ip != b->step->ip)
		order = a->step->ip < b->step->ip ? -1 : 1;
	return order;
}

const struct chain_node *chain_branch_end(const struct chain_node *node)
{
	while (!node->nr_self && node->children && !node->children->next)
		node = node->children;
	return node;
}

void chain_tree_free(struct chain_tree *tree)
{
	hash_table_free(&tree->nodes);
	pool_free(&tree->pool);
}
