// SPDX-License-Identifier: GPL-2.0
/*
 * Bounds the memory of the call chains of a histogram.
 *
 * When the chains need more memory than they may, each row keeps the steps that are frequent in it.
 * Below a frequent step, the sum of all rare ones is kept as one step:
 *
 *	main 100                main 100
 *	   parse 90                parse 90
 *	      word 87                 word 87
 *	      quote 2                 [not kept: rare chains] 3
 *	      brace 1              [not kept: rare chains] 10
 *	   usage 10
 *	      print 10
 *
 * So the sum of each step that is left is the sum of the steps below it and of its own samples, as
 * before. A chain that comes again later is added as a new one: the sum of a step that is shown
 * lacks the samples that were rare when the memory was full.
 */
#include <stdlib.h>

#include "chain_tree.h"
#include "hist.h"

/* A step is rare in the first attempt if its sum is less than this part of all samples. */
#define RARE_SHIFT 14

/* The factor of the sum that is rare, from one attempt to the next. */
#define RARE_FACTOR 4

/**
 * struct fold - the frequent chains of a row
 * @store: store that gets the chains
 * @list: list that gets them
 * @limit: smallest steps that are frequent
 * @path: steps from the first one to the current node
 * @room: allocated number of @path
 */
struct fold {
	struct chain_store *store;
	struct chain_list *list;
	struct chain_limit limit;
	const struct chain_step **path;
	size_t room;
};

static void set_step(struct fold *fold, size_t at, const struct chain_step *step)
{
	if (at >= fold->room) {
		fold->room = at ? at * 2 : 64;
		fold->path = xreallocarray(fold->path, fold->room, sizeof(*fold->path));
	}
	fold->path[at] = step;
}

/* Keep a chain of @depth steps of the path, and @end, which may be NULL. */
static void keep_chain(struct fold *fold, size_t depth, const struct chain_step *end,
		       uint64_t period, uint64_t nr)
{
	const struct chain_step *first = end;

	while (depth)
		first = chain_step_like(fold->store, fold->path[--depth], first);
	chain_list_add(fold->store, fold->list, first, period, nr, true);
}

static bool is_frequent(const struct fold *fold, const struct chain_node *node)
{
	return chain_node_is_code(node) && node->total >= fold->limit.min_total;
}

/* Keep the frequent chains below a node, and the sum of the rare ones. */
static void keep_node(struct fold *fold, const struct chain_node *node)
{
	uint64_t rare = 0, nr_rare = 0;
	const struct chain_node *child;

	if (node->nr_self)
		keep_chain(fold, node->depth, NULL, node->self, node->nr_self);
	for (child = node->children; child; child = child->next) {
		if (is_frequent(fold, child)) {
			set_step(fold, node->depth, child->step);
			keep_node(fold, child);
		} else {
			rare += child->total;
			nr_rare += child->nr_total;
		}
	}
	if (nr_rare)
		keep_chain(fold, node->depth, &chain_not_kept, rare, nr_rare);
}

/* Return the step that all chains begin with, or NULL. */
static const struct chain_step *common_step(const struct chain_list *list)
{
	const struct listed_chain *chain;

	for (chain = list->first; chain; chain = chain->next) {
		if (chain->first->key != list->first->first->key)
			return NULL;
	}
	return list->first->first;
}

/* Keep the sum of a row that is rare, below the function of the row. */
static void keep_sum(struct fold *fold, const struct chain_list *list,
		     const struct chain_node *root)
{
	const struct chain_step *step = common_step(list);

	if (step && step != &chain_not_kept)
		set_step(fold, 0, step);
	keep_chain(fold, step && step != &chain_not_kept, &chain_not_kept, root->total,
		   root->nr_total);
}

/* Replace the chains of a row by the frequent ones. */
static void fold_row(struct fold *fold, struct chain_list *list)
{
	const struct chain_list all = *list;
	struct chain_tree tree;

	if (!all.first)
		return;
	*list = (struct chain_list){ 0 };
	fold->list = list;
	chain_tree_make(&tree, &all, &fold->limit);
	if (tree.root.total >= fold->limit.min_total)
		keep_node(fold, &tree.root);
	else
		keep_sum(fold, &all, &tree.root);
	chain_tree_free(&tree);
}

/* Keep the chains of all rows whose sums are at least @min_total. */
static void fold_rows(struct hist *hist, uint64_t min_total)
{
	struct chain_store store = { .by_address = hist->chains.by_address };
	struct hash_node **nodes = hash_table_nodes(&hist->entries);
	struct fold fold = { .store = &store, .limit.min_total = min_total };
	size_t i;

	for (i = 0; i < hist->entries.nr; i++)
		fold_row(&fold, &hash_entry(nodes[i], struct hist_entry, node)->chains);
	chain_store_free(&hist->chains);
	hist->chains = store;
	free(fold.path);
	free(nodes);
}

static size_t size_of(const struct hist *hist)
{
	return chain_store_size(&hist->chains) + sample_memo_size(&hist->memo);
}

/**
 * hist_fold() - Forget rare call chains if all need more memory than they may
 * @hist: histogram; chains that are got from its rows must not be used afterwards
 *
 * The chains need at most half of the memory afterwards, if the rows alone do not need more. The
 * memory that they may need is at least twice the memory that they need afterwards, so the time to
 * fold them is in proportion to the number of samples.
 */
void hist_fold(struct hist *hist)
{
	uint64_t min_total = (hist->period >> RARE_SHIFT) + 1;

	if (!hist->memory_max || size_of(hist) <= hist->memory_max + hist->memory_more)
		return;
	sample_memo_settle(&hist->memo);
	sample_memo_free(&hist->memo);
	hist->touched.nr = 0;
	while (size_of(hist) > hist->memory_max / 2) {
		fold_rows(hist, min_total);
		hist->folded = true;
		if (min_total > hist->period || min_total > UINT64_MAX / RARE_FACTOR)
			break;
		min_total *= RARE_FACTOR;
	}
	hist->memory_more = 2 * size_of(hist) > hist->memory_max ?
			    2 * size_of(hist) - hist->memory_max : 0;
}
