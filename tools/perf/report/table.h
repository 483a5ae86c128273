/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes a table of a histogram: the texts of its rows, and the widths of its columns.
 */
#ifndef PERF_REPORT_TABLE_H
#define PERF_REPORT_TABLE_H

#include <stdio.h>

#include "chain_style.h"
#include "hist.h"

/*
 * Maximum number of columns: total and self with the latency of both, number of samples,
 * period, and all sort keys.
 */
#define REPORT_COLUMNS_MAX (6 + SORT_KEYS_MAX)

/**
 * struct report_style - the style of a report
 * @chains: style of the call chains
 * @dsos: names of the files to show, separated by commas; NULL: all
 * @hidden: keys without a column, because a filter leaves only one value
 * @separator: character between columns, which are then not padded; 0: pad
 * @min_percent: minimum percentage of a row that is shown
 * @with_counts: true to show a column with the number of samples
 * @with_periods: true to show a column with the period
 * @with_latency: true to show columns with latencies
 * @latency_first: true to put latencies before percentages, and to sort by them
 * @with_overhead: true to show the percentages, in a table with chosen columns
 * @chosen_columns: true if the user chose the columns
 * @no_titles: true to print no titles
 * @hierarchy: true to show the rows of each key below those of the previous key
 * @widths: widths of the first columns
 * @nr_widths: number of @widths
 * @terminal: width that names are shortened for, in columns of the terminal; 0: names are whole
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
	bool with_periods;
	bool with_latency;
	bool latency_first;
	bool with_overhead;
	bool chosen_columns;
	bool no_titles;
	bool hierarchy;
	unsigned int widths[REPORT_COLUMNS_MAX];
	size_t nr_widths;
	size_t terminal;
	bool verbose;
	const char *sort_order;
};

/* Return true if the report shows columns with percentages. */
static inline bool report_has_overhead(const struct report_style *style)
{
	return style->with_overhead || !style->chosen_columns;
}

/* Return true if the report of a histogram shows latencies. */
static inline bool report_has_latency(const struct report_style *style, const struct hist *hist)
{
	return style->with_latency && !hist->branches;
}

/* Return true if the report shows rows of @dso, which may be NULL. */
bool report_shows_dso(const struct report_style *style, const struct dso *dso);

/* The part of a text that is left out where the column is too narrow. */
enum column_cut {
	CUT_NOTHING,
	CUT_END,
	CUT_MIDDLE,
};

/* The number in a column. Percentages are of the periods or latencies of all samples. */
enum report_number {
	NUMBER_TOTAL,		/* percentage of the function and its callees */
	NUMBER_SELF,		/* percentage of the function */
	NUMBER_TOTAL_LATENCY,
	NUMBER_SELF_LATENCY,
	NUMBER_SAMPLES,
	NUMBER_PERIOD,
};

/**
 * struct report_column - a column of a table
 * @header: title
 * @key: sort key; NULL: a column of numbers
 * @number: number in the column, without @key
 * @width: number of characters
 * @cut: way in which texts are cut to @width
 */
struct report_column {
	const char *header;
	const struct sort_key *key;
	enum report_number number;
	size_t width;
	enum column_cut cut;
};

/* A row, with one text for each column. */
struct report_row {
	const struct hist_entry *entry;
	char *texts[REPORT_COLUMNS_MAX];
};

/**
 * struct report_table - a table of an event or of a group of events
 * @style: style of the report
 * @hist: histograms of @nr_hists events. Sort keys and call chains come from the first one, which
 *	has samples; a column of numbers has the numbers of all events with samples in their order
 * @nr_hists: number of histograms, at least 1
 * @columns: columns
 * @nr_columns: number of @columns
 * @rows: rows in the order in which they are shown
 * @nr_rows: number of @rows
 */
struct report_table {
	const struct report_style *style;
	const struct hist *hist;
	size_t nr_hists;
	struct report_column columns[REPORT_COLUMNS_MAX];
	size_t nr_columns;
	struct report_row *rows;
	size_t nr_rows;
};

/* Return the percentage of a period in the period of the histogram. */
double report_percent(const struct hist *hist, uint64_t period);

/* Names are not shortened to fewer columns of the terminal. */
#define REPORT_NAME_MIN 8

/**
 * report_fit_widths() - Reduce the widths of names to a sum
 * @widths: widths, of which the largest ones are reduced to one value
 * @nr: number of @widths
 * @room: largest sum; exceeded if a width would otherwise be less than REPORT_NAME_MIN
 */
void report_fit_widths(size_t *widths, size_t nr, size_t room);

/* Make the table of a histogram; report_table_free() frees it. */
void report_table_make(struct report_table *t, const struct report_style *style,
		       const struct hist *hist);

/* Make the table of a group of @nr events, one of which has samples. */
void report_table_make_group(struct report_table *t, const struct report_style *style,
			     const struct hist *hists, size_t nr);

/* Print the titles of the columns, padded, without a newline. */
void report_table_print_titles(FILE *out, const struct report_table *t);

/* Print two blanks and a row with padded columns, without a newline. */
void report_table_print_row(FILE *out, const struct report_table *t, const struct report_row *row);

/* Print the text of a column, padded or cut off to its width; the last one is not padded. */
void report_table_print_text(FILE *out, const struct report_table *t, size_t column,
			     const char *text);

void report_table_free(struct report_table *t);

#endif
