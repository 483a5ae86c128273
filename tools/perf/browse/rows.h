/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The visible rows of a table: its rows, and below an unfolded one the branches of its call chains.
 * Rows that the user has hidden, or that do not contain the text of a filter, are left out.
 *
 * A branch is a run of functions without a fork, as in the output of --stdio. A folded branch shows
 * its first function only.
 */
#ifndef PERF_BROWSE_ROWS_H
#define PERF_BROWSE_ROWS_H

#include "report/report.h"

/**
 * struct fold - a branch of call chains that can be folded
 * @first: first function; NULL: the branches that are too small to be shown
 * @end: last function
 * @parent: branch that forks into this one, or the root of the row
 * @below: branches that this one forks into, the largest first
 * @nr_below: number of @below
 * @made: @below is filled in
 * @open: all functions and @below are shown
 * @depth: number of forks above
 * @whole: period that is 100 %
 * @period: sum of the periods of this branch
 * @nr_small: number of branches that are too small, if @first is NULL
 */
struct fold {
	const struct chain_node *first;
	const struct chain_node *end;
	struct fold *parent;
	struct fold *below;
	size_t nr_below;
	bool made;
	bool open;
	unsigned int depth;
	uint64_t whole;
	uint64_t period;
	size_t nr_small;
};

/**
 * struct entry_rows - a row of the table and what is below it
 * @tree: call chains, if @root was made
 * @root: branches
 * @chains: flag: rows can be shown below the row
 * @hidden: the user has hidden the row
 */
struct entry_rows {
	struct chain_tree tree;
	struct fold root;
	bool chains;
	bool hidden;
};

/**
 * struct browse_row - a visible row
 * @entry: index of the row of the table
 * @fold: branch; NULL for the row of the table itself
 * @node: function of @fold; NULL: branches that are too small
 */
struct browse_row {
	size_t entry;
	struct fold *fold;
	const struct chain_node *node;
};

/**
 * struct row_list - the visible rows
 * @table: table
 * @entries: one for each row of @table
 * @rows: visible rows
 * @nr: number of @rows
 * @room: allocated number of @rows
 * @nr_hidden: number of rows of the table that the user has hidden
 * @nr_unmatched: number of other rows of the table that do not match the filter
 */
struct row_list {
	const struct report_table *table;
	struct entry_rows *entries;
	struct browse_row *rows;
	size_t nr;
	size_t room;
	size_t nr_hidden;
	size_t nr_unmatched;
};

/* Make the list of a table, all rows folded; rows_free() frees it. The table must not move. */
void rows_make(struct row_list *list, const struct report_table *table);

/**
 * rows_update() - Fill in the visible rows
 * @list: list, after a change of the folds or the hidden rows
 * @filter: text that a row of the table must contain, in upper or lower case; "" for all
 */
void rows_update(struct row_list *list, const char *filter);

/* Return true if a row can be unfolded, or is unfolded. */
bool row_has_below(const struct row_list *list, const struct browse_row *row);
bool row_is_open(const struct row_list *list, const struct browse_row *row);

/* Fold or unfold a row. rows_update() makes the change visible. */
void row_set_open(struct row_list *list, const struct browse_row *row, bool open);
void rows_set_all(struct row_list *list, bool open);

/* Make the branches below a row of the table, if they are not made. Return: their root. */
struct fold *entry_root(const struct row_list *list, size_t entry);

/* Make the branches that a branch forks into, if they are not made. */
void fold_make_below(const struct row_list *list, struct fold *fold);

/*
 * Return the index of the visible row that is unfolded to show row @i; @i for a row of the table.
 */
size_t row_parent(const struct row_list *list, size_t i);

/* Return the index of the visible row that is equal to @row, or of the row of its entry. */
size_t rows_find(const struct row_list *list, const struct browse_row *row);

/* Return true if a row of the table contains a text, in upper or lower case. */
bool entry_contains(const struct row_list *list, size_t entry, const char *text);

/* Return the text of a row that is a branch, without indentation; the caller frees it. */
char *row_label(const struct row_list *list, const struct browse_row *row);

void rows_free(struct row_list *list);

#endif
