/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints a histogram as a hierarchy: rows of the first sort key, below each of them the rows of the
 * next key, and so on.
 */
#ifndef PERF_REPORT_HIERARCHY_H
#define PERF_REPORT_HIERARCHY_H

#include <stdio.h>

#include "table.h"

/**
 * report_hierarchy() - Print a hierarchy
 * @out: stream to print to
 * @t: table of the histogram, whose titles are used
 * @print_chains: prints the call chains of a row of the last key
 */
void report_hierarchy(FILE *out, const struct report_table *t,
		      void (*print_chains)(FILE *out, const struct report_table *t,
					   const struct hist_entry *entry));

#endif
