/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A histogram as a table of texts: the rows that are shown, and how wide columns are.
 */
#ifndef PERF_REPORT_TABLE_H
#define PERF_REPORT_TABLE_H

#include <stdio.h>

#include "chain_style.h"
#include "hist.h"

/**
 * struct report_style - how a report is printed
 * @chains: how its call chains are
 * @dsos: only rows of these files, separated by commas; NULL: all
 * @hidden: keys without a column: a filter leaves them one value only
 * @separator: between columns, which then are not padded; 0: pad
 * @min_percent: smaller rows are left out
 * @with_counts: a column with the number of samples
 * @verbose: paths and addresses in full
 * @sort_order: what --sort said
 */
struct report_style {
	struct chain_style chains;
	const char *dsos;
	struct sort_keys hidden;
	char separator;
	double min_percent;
	bool with_counts;
	bool verbose;
	const char *sort_order;
};

/* The widest report: share of all, share of its own, count, and every sort key. */
#define REPORT_COLUMNS_MAX (3 + SORT_KEYS_MAX)

/* Are rows of @dso, which may be NULL, among those that are wanted? */
bool report_shows_dso(const struct report_style *style, const struct dso *dso);

struct report_column {
	const char *header;
	const struct sort_key *key;	/* NULL: a number */
	size_t width;
};

/* A row: the text of each of its columns. */
struct report_row {
	const struct hist_entry *entry;
	char *texts[REPORT_COLUMNS_MAX];
};

struct report_table {
	const struct report_style *style;
	const struct hist *hist;
	struct report_column columns[REPORT_COLUMNS_MAX];
	size_t nr_columns;
	struct report_row *rows;
	size_t nr_rows;
};

/* Make the table of a histogram; to be freed with report_table_free(). */
void report_table_make(struct report_table *t, const struct report_style *style,
		       const struct hist *hist);

/* The titles of the columns, each as wide as its column; no newline. */
void report_table_print_titles(FILE *out, const struct report_table *t);

/* A row whose columns are padded, behind two blanks; no newline. */
void report_table_print_row(FILE *out, const struct report_table *t, const struct report_row *row);

void report_table_free(struct report_table *t);

#endif
