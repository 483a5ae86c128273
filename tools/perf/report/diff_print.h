/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Comparisons of recordings as tables.
 */
#ifndef PERF_REPORT_DIFF_PRINT_H
#define PERF_REPORT_DIFF_PRINT_H

#include <stdio.h>

#include "diff.h"

/**
 * struct diff_style - form of a comparison
 * @options: method
 * @order: number of the recording whose values order the rows, from 1; 0 for the baseline
 * @baseline_only: show only rows that all recordings have
 * @with_periods: show periods
 * @with_formula: show the numbers that values were computed from
 * @separator: character between columns, which are then not padded; 0: pad
 * @no_titles: print no titles
 * @min_percent: leave out rows with less than this percentage in each recording
 * @nr_base: number of recordings of the baseline, if there are several of each side; otherwise 0
 * @confidence: probability that an interval contains the true difference, with @nr_base
 * @all: show rows within noise, too, with @nr_base
 * @limit: increase of a row that is counted, in percentage points or, for a ratio, in percent
 */
struct diff_style {
	struct diff_options options;
	size_t order;
	bool baseline_only;
	bool with_periods;
	bool with_formula;
	char separator;
	bool no_titles;
	double min_percent;
	size_t nr_base;
	double confidence;
	bool all;
	double limit;
};

/**
 * report_diff() - Print the comparison of an event
 * @out: stream
 * @style: form
 * @table: comparison
 *
 * Return: The number of rows whose increase is above style->limit and, with several recordings of
 * each side, beyond noise.
 */
size_t report_diff(FILE *out, const struct diff_style *style, const struct diff_table *table);

#endif
