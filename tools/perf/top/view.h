/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf top shows of an event, as text.
 */
#ifndef PERF_TOP_VIEW_H
#define PERF_TOP_VIEW_H

#include "report/report.h"

/**
 * struct top_facts - what the first line says
 * @event: the event's name
 * @freq: samples per second, or 0 for a period
 * @period: events per sample, or 0 for a frequency
 * @lost: records lost so far
 * @delay: seconds between two displays
 * @no_kernel: samples of the kernel are left out
 * @no_user: samples of user mode are
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
 * @facts: the first line
 * @titles: of the columns
 * @rows: the rows, the largest share first
 * @nr_rows: how many
 */
struct top_view {
	char *facts;
	char *titles;
	char **rows;
	size_t nr_rows;
};

/* Make the view of a histogram; to be freed with top_view_free(). */
void top_view_make(struct top_view *view, const struct top_facts *facts,
		   const struct report_style *style, const struct hist *hist);

void top_view_free(struct top_view *view);

#endif
