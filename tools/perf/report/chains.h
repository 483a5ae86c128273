/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call chains below the rows of a report.
 */
#ifndef PERF_REPORT_CHAINS_H
#define PERF_REPORT_CHAINS_H

#include <stdio.h>

#include "chain_style.h"
#include "hist.h"

/**
 * struct chain_print - how to print the chains of an entry
 * @style: in what form
 * @total: period that is 100 %
 * @separator: between the functions of a folded chain
 * @skip_first: the row itself is named like the first function
 */
struct chain_print {
	struct chain_style style;
	uint64_t total;
	char separator;
	bool skip_first;
};

void report_chains(FILE *out, const struct chain_print *print, const struct hist_entry *entry,
		   bool children);

#endif
