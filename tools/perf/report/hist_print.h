/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints a histogram (--stdio).
 */
#ifndef PERF_REPORT_HIST_PRINT_H
#define PERF_REPORT_HIST_PRINT_H

#include <stdio.h>

#include "table.h"

/* Print a number in about four characters. */
void report_count(FILE *out, uint64_t nr);

void report_hist(FILE *out, const struct report_style *style, const struct hist *hists, size_t nr);

#endif
