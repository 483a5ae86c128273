/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A histogram as text (--stdio).
 */
#ifndef PERF_REPORT_PRINT_H
#define PERF_REPORT_PRINT_H

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

void report_hist(FILE *out, const struct report_style *style, const struct hist *hist);

#endif
