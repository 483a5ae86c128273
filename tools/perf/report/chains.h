/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints call chains below the rows of a report.
 */
#ifndef PERF_REPORT_CHAINS_H
#define PERF_REPORT_CHAINS_H

#include <stdio.h>

#include "chain_style.h"
#include "hist.h"

/**
 * struct chain_print - the style of an entry's call chains
 * @style: style of the report
 * @total: period that is 100 %
 * @separator: character between the functions of a folded chain
 * @skip_first: true if the row shows the first function
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
