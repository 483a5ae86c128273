/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes a table of a histogram: the texts of its rows, and the widths of its columns.
 */
#ifndef PERF_REPORT_TABLE_H
#define PERF_REPORT_TABLE_H

#include <stdio.h>

#include "chain_style.h"
#include "hist.h"

/**
 * struct report_style - the style of a report
 * @chains: style of the call chains
 * @dsos: names of the files to show, separated by commas; NULL: all
 * @hidden: keys without a column, because a filter leaves only one value
 * @separator: character between columns, which are then not padded; 0: pad
 * @min_percent: minimum percentage of a row that is shown
 * @with_counts: true to show a column with the number of samples
 * @verbose: true to show whole paths and addresses
 * @sort_order: argument of --sort
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

/* Maximum number of columns: total, self, number of samples, and all sort keys. */
#define REPORT_COLUMNS_MAX (3 + SORT_KEYS_MAX)

/* Return true if the report shows rows of @dso, which may be NULL. */
bool report_shows_dso(const struct report_style *style, const struct dso *dso);

struct report_column {
	const char *header;
	const struct sort_key *key;	/* NULL: a column of numbers */
	size_t width;
};

/* A row, with one text for each column. */
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

/* Make the table of a histogram; report_table_free() frees it. */
void report_table_make(struct report_table *t, const struct report_style *style,
		       const struct hist *hist);

/* Print the titles of the columns, padded, without a newline. */
void report_table_print_titles(FILE *out, const struct report_table *t);

/* Print a row with padded columns behind two blanks, without a newline. */
void report_table_print_row(FILE *out, const struct report_table *t, const struct report_row *row);

void report_table_free(struct report_table *t);

#endif
