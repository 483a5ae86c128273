/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes the lines of text that perf top shows for an event.
 */
#ifndef PERF_TOP_VIEW_H
#define PERF_TOP_VIEW_H

#include "report/report.h"

/**
 * struct top_facts - the contents of the first line
 * @event: name of the event
 * @freq: samples per second; 0 with a period
 * @period: events per sample; 0 with a frequency
 * @lost: number of records lost so far
 * @delay: time between two updates in seconds
 * @no_kernel: true if samples of the kernel are left out
 * @no_user: true if samples of user mode are left out
 */
struct top_facts {
	const char *event;
	unsigned long freq;
	unsigned long long period;
	uint64_t lost;
	double delay;
	bool no_kernel;
	bool no_user;
};

/**
 * struct top_view - lines of text, without newlines
 * @facts: first line
 * @titles: titles of the columns
 * @rows: rows, those with the largest percentage first
 * @nr_rows: number of @rows
 */
struct top_view {
	char *facts;
	char *titles;
	char **rows;
	size_t nr_rows;
};

/* Return the facts that follow the name of the event, as text; the caller frees it. */
char *top_facts_text(const struct top_facts *facts);

/* Make the view of a histogram; top_view_free() frees it. */
void top_view_make(struct top_view *view, const struct top_facts *facts,
		   const struct report_style *style, const struct hist *hist);

void top_view_free(struct top_view *view);

#endif
