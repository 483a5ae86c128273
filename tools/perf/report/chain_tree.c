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

/* Steps with equal keys are one node. */
static uint64_t node_key(const struct chain_step *step)
{
	return step ? step->key : 0;
}

static struct chain_node *get_child(struct chain_tree *tree, struct chain_node *parent,
				    const struct chain_step *step)
{
	uint64_t key = node_key(step), hash = hash_mix((uintptr_t)parent, key);
	struct chain_node *child;
	struct hash_node *node;

	for (node = hash_table_first(&tree->nodes, hash); node; node = hash_table_next(node)) {
		child = hash_entry(node, struct chain_node, node);
		if (child->parent == parent && node_key(child->step) == key)
			return child;
	}
	child = xcalloc(1, sizeof(*child));
	child->parent = parent;
	child->step = step;
	child->next = parent->children;
	parent->children = child;
	hash_table_add(&tree->nodes, &child->node, hash);
	return child;
}

static void count(struct chain_node *node, const struct listed_chain *chain)
{
	node->total += chain->period;
	node->nr_total += chain->nr;
}

static void add_chain(struct chain_tree *tree, const struct listed_chain *chain)
{
	const struct chain_step *step = chain->first;
	struct chain_node *at = &tree->root;
	size_t nr = 0;

	count(at, chain);
	for (; step && (chain->whole || nr < CALLER_STEPS_MAX); step = step->rest, nr++) {
		at = get_child(tree, at, step);
		count(at, chain);
	}
	if (step) {
		at = get_child(tree, at, NULL);
		count(at, chain);
	}
	at->self += chain->period;
	at->nr_self += chain->nr;
}

/**
 * chain_tree_make() - Make a tree of chains
 * @tree: filled in, to be freed with chain_tree_free(); must not move
 * @list: chains
 */
void chain_tree_make(struct chain_tree *tree, const struct chain_list *list)
{
	const struct listed_chain *chain;

	*tree = (struct chain_tree){ 0 };
	for (chain = list->first; chain; chain = chain->next)
		add_chain(tree, chain);
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
	hash_table_free_all(&tree->nodes, hash_node_free);
}
