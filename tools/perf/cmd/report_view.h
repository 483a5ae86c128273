/* SPDX-License-Identifier: GPL-2.0 */
/* The options of perf report that choose columns, chains and the form of the table. */
#ifndef PERF_CMD_REPORT_VIEW_H
#define PERF_CMD_REPORT_VIEW_H

#include <argp.h>
#include <regex.h>

#include "report/report.h"

/**
 * struct report_view - options of the view
 * @style: style of the report, which the options change
 * @fields: argument of -F, or NULL
 * @latency: sort by latency, and show it first
 * @levels: numbers of running threads at wanted samples; empty: all
 * @relative: percentages refer to the samples that are shown
 * @stats: print the number of records of each type, and no samples
 * @quiet: print no warnings and no titles
 * @wide: names are not shortened to the width of the terminal
 * @max_stack: maximum number of functions of a chain that are used; 0: all
 * @callees: functions whose callees are ignored, if @has_callees
 * @has_callees: --ignore-callees was given
 * @parent: functions that are parents, if @has_parent
 * @has_parent: -p was given
 * @exclude_other: leave out samples without a parent
 */
struct report_view {
	struct report_style *style;
	const char *fields;
	bool latency;
	struct int_list levels;
	bool relative;
	bool stats;
	bool quiet;
	bool wide;
	size_t max_stack;
	regex_t callees;
	bool has_callees;
	regex_t parent;
	bool has_parent;
	bool exclude_other;
};

/* A parser for struct argp.children; its input is a struct report_view. */
extern const struct argp report_view_argp;

/**
 * report_take_numbers() - Take the columns of numbers out of a list of keys
 * @style: receives the columns; latencies are first if they are before overhead in @list
 * @list: list of -F or --sort: keys, and overhead, overhead_children, latency, latency_children,
 *	sample and period
 *
 * Return: the other keys, separated by commas; the caller frees the list.
 */
char *report_take_numbers(struct report_style *style, const char *list);

/* Return true if the number of running threads at a sample is wanted. */
bool report_view_wants_level(const struct report_view *view, uint32_t running);

/*
 * Cut a chain off at --max-stack, and drop the callees of --ignore-callees. @at receives the
 * function that the sample counts for, if that function has changed.
 */
void report_view_cut(const struct report_view *view, struct callchain *chain, struct location *at);

/* Return the name of the innermost function of a chain that is a parent, or NULL. */
const char *report_view_parent(const struct report_view *view, const struct callchain *chain);

void report_view_free(struct report_view *view);

#endif
