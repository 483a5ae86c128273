// SPDX-License-Identifier: GPL-2.0
/* The visible rows of a table. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"
#include "rows.h"

static const struct hist_entry *entry_of(const struct row_list *list, size_t entry)
{
	return list->table->rows[entry].entry;
}

static uint64_t period_of(const struct row_list *list, size_t entry)
{
	const struct hist_entry *e = entry_of(list, entry);

	return list->table->hist->children ? e->total : e->self;
}

/* Return true if a chain has a function other than that of its row. */
static bool has_chains(const struct hist_entry *entry)
{
	const struct listed_chain *chain;

	for (chain = entry->chains.first; chain; chain = chain->next) {
		if (chain->first->rest || chain->first->symbol != entry->point.at.symbol)
			return true;
	}
	return false;
}

void rows_make(struct row_list *list, const struct report_table *table)
{
	size_t i;

	*list = (struct row_list){ .table = table };
	list->entries = xcalloc(table->nr_rows, sizeof(*list->entries));
	for (i = 0; i < table->nr_rows; i++) {
		list->entries[i].chains = table->style->chains.mode != CHAIN_NONE &&
					  has_chains(table->rows[i].entry);
	}
}

/* Add the branches that are below the threshold as one. */
static void add_rest(struct fold *fold, uint64_t period, size_t nr)
{
	struct fold *rest = &fold->below[fold->nr_below++];

	*rest = (struct fold){
		.parent = fold, .made = true, .depth = fold->depth + 1, .period = period,
		.whole = fold->below[0].whole, .nr_small = nr,
	};
}

/* Make the branches below @node, where chains with a period of @whole begin. */
static void make_branches(const struct row_list *list, struct fold *fold,
			  const struct chain_node *node, uint64_t whole)
{
	const struct chain_style *style = &list->table->style->chains;
	uint64_t min = (uint64_t)(whole * (style->min_percent / 100)), small = 0;
	const struct chain_node **nodes, *child;
	size_t i, nr = 0, nr_small = 0;

	fold->made = true;
	for (child = node->children; child; child = child->next)
		nr++;
	nodes = xcalloc(nr, sizeof(*nodes));
	for (nr = 0, child = node->children; child; child = child->next)
		nodes[nr++] = child;
	qsort(nodes, nr, sizeof(*nodes), chain_node_compare);
	fold->below = xcalloc(nr + 1, sizeof(*fold->below));
	for (i = 0; i < nr; i++) {
		if (nodes[i]->total < min || !nodes[i]->total ||
		    (style->max_lines && i >= style->max_lines)) {
			small += nodes[i]->total;
			nr_small++;
			continue;
		}
		fold->below[fold->nr_below++] = (struct fold){
			.first = nodes[i], .end = chain_branch_end(nodes[i]), .parent = fold,
			.depth = fold->depth + 1, .whole = whole, .period = nodes[i]->total,
		};
	}
	if (nr_small)
		add_rest(fold, small, nr_small);
	free(nodes);
}

/* Return the period that is 100 % for the branches below a fold. */
static uint64_t whole_of(const struct row_list *list, uint64_t period)
{
	bool fractal = list->table->style->chains.mode == CHAIN_FRACTAL;

	return fractal ? period : list->table->hist->period;
}

/*
 * Make the branches of a row. The function of the row itself is left out if all chains begin with
 * it.
 */
static void make_root(const struct row_list *list, size_t entry)
{
	struct entry_rows *e = &list->entries[entry];
	const struct hist_entry *row = entry_of(list, entry);
	uint64_t whole = whole_of(list, period_of(list, entry));
	const struct chain_limit all = { 0 };
	const struct chain_node *first;

	chain_tree_make(&e->tree, &row->chains, &all);
	first = e->tree.root.children;
	if (first && !first->next && first->total == e->tree.root.total && first->step &&
	    first->step->symbol && first->step->symbol == row->point.at.symbol)
		make_branches(list, &e->root, first, whole);
	else
		make_branches(list, &e->root, &e->tree.root, whole);
}

void fold_make_below(const struct row_list *list, struct fold *fold)
{
	if (!fold->made)
		make_branches(list, fold, fold->end,
			      whole_of(list, fold->end->total - fold->end->self));
}

struct fold *entry_root(const struct row_list *list, size_t entry)
{
	struct entry_rows *e = &list->entries[entry];

	if (!e->root.made)
		make_root(list, entry);
	return &e->root;
}

static void set_open(const struct row_list *list, struct fold *fold, bool open)
{
	/* A branch without siblings is unfolded together with its parent. */
	for (;;) {
		fold->open = open;
		if (!open || !fold->nr_below || fold->nr_below > 1 || !fold->below[0].first)
			return;
		fold = &fold->below[0];
		fold_make_below(list, fold);
	}
}

bool row_has_below(const struct row_list *list, const struct browse_row *row)
{
	if (!row->fold)
		return list->entries[row->entry].chains;
	return row->node && row->node == row->fold->first &&
	       (row->fold->first != row->fold->end || row->fold->end->children);
}

bool row_is_open(const struct row_list *list, const struct browse_row *row)
{
	if (!row->fold)
		return list->entries[row->entry].root.open;
	return row->node == row->fold->first && row->fold->open;
}

void row_set_open(struct row_list *list, const struct browse_row *row, bool open)
{
	if (!row_has_below(list, row))
		return;
	if (row->fold) {
		fold_make_below(list, row->fold);
		set_open(list, row->fold, open);
		return;
	}
	set_open(list, entry_root(list, row->entry), open);
}

static void set_all_below(const struct row_list *list, struct fold *fold, bool open)
{
	size_t i;

	fold->open = open;
	for (i = 0; i < fold->nr_below; i++) {
		if (!fold->below[i].first)
			continue;
		if (open)
			fold_make_below(list, &fold->below[i]);
		set_all_below(list, &fold->below[i], open);
	}
}

void rows_set_all(struct row_list *list, bool open)
{
	size_t i;

	for (i = 0; i < list->table->nr_rows; i++) {
		struct entry_rows *e = &list->entries[i];

		if (!e->chains)
			continue;
		if (open)
			entry_root(list, i);
		set_all_below(list, &e->root, open);
	}
}

static void add_row(struct row_list *list, size_t entry, struct fold *fold,
		    const struct chain_node *node)
{
	if (list->nr == list->room) {
		list->room = list->room ? list->room * 2 : 256;
		list->rows = xreallocarray(list->rows, list->room, sizeof(*list->rows));
	}
	list->rows[list->nr++] = (struct browse_row){ entry, fold, node };
}

static void add_folds(struct row_list *list, size_t entry, struct fold *parent)
{
	const struct chain_node *node;
	size_t i;

	for (i = 0; parent->open && i < parent->nr_below; i++) {
		struct fold *fold = &parent->below[i];

		add_row(list, entry, fold, fold->first);
		if (!fold->open)
			continue;
		for (node = fold->first; node != fold->end;) {
			node = node->children;
			add_row(list, entry, fold, node);
		}
		add_folds(list, entry, fold);
	}
}

bool entry_contains(const struct row_list *list, size_t entry, const char *text)
{
	const struct report_table *t = list->table;
	size_t i;

	for (i = 0; i < t->nr_columns; i++) {
		if (t->columns[i].key && strcasestr(t->rows[entry].texts[i], text))
			return true;
	}
	return !*text;
}

void rows_update(struct row_list *list, const char *filter)
{
	size_t i;

	list->nr = 0;
	list->nr_hidden = 0;
	list->nr_unmatched = 0;
	for (i = 0; i < list->table->nr_rows; i++) {
		if (list->entries[i].hidden) {
			list->nr_hidden++;
		} else if (!entry_contains(list, i, filter)) {
			list->nr_unmatched++;
		} else {
			add_row(list, i, NULL, NULL);
			add_folds(list, i, &list->entries[i].root);
		}
	}
}

size_t row_parent(const struct row_list *list, size_t i)
{
	const struct browse_row *row = &list->rows[i], *above;
	const struct fold *fold = row->fold;

	if (!fold)
		return i;
	/*
	 * A later function of a branch is below the first function; the first function is below a
	 * fork.
	 */
	if (row->node == fold->first)
		fold = fold->parent;
	while (i-- > 0) {
		above = &list->rows[i];
		if (!above->fold || (above->fold == fold && above->node == fold->first))
			return i;
	}
	return 0;
}

size_t rows_find(const struct row_list *list, const struct browse_row *row)
{
	size_t i, best = 0;

	for (i = 0; i < list->nr && list->rows[i].entry <= row->entry; i++) {
		const struct browse_row *r = &list->rows[i];

		if (!r->fold)
			best = i;
		if (r->entry == row->entry && r->fold == row->fold && r->node == row->node)
			return i;
	}
	return best;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0.0;
}

/* Return the value of a branch in the style of the report. */
static char *value_of(const struct row_list *list, const struct fold *fold)
{
	switch (list->table->style->chains.value) {
	case VALUE_PERIOD:
		return xasprintf("%" PRIu64, fold->period);
	case VALUE_COUNT:
		if (fold->first)
			return xasprintf("%" PRIu64, fold->first->nr_total);
		__attribute__((fallthrough));
	case VALUE_PERCENT:
		break;
	}
	return xasprintf("%.2f%%", percent(fold->period, fold->whole));
}

char *row_label(const struct row_list *list, const struct browse_row *row)
{
	char *value, *name, *label;

	if (row->node && row->node != row->fold->first)
		return chain_text(row->node);
	value = value_of(list, row->fold);
	if (row->node)
		name = chain_text(row->node);
	else
		name = xasprintf("[%zu smaller]", row->fold->nr_small);
	label = xasprintf("%s %s", value, name);
	free(name);
	free(value);
	return label;
}

static void free_below(struct fold *fold)
{
	size_t i;

	for (i = 0; i < fold->nr_below; i++)
		free_below(&fold->below[i]);
	free(fold->below);
}

void rows_free(struct row_list *list)
{
	size_t i;

	for (i = 0; i < list->table->nr_rows; i++) {
		struct entry_rows *e = &list->entries[i];

		free_below(&e->root);
		chain_tree_free(&e->tree);
	}
	free(list->entries);
	free(list->rows);
}
