/* SPDX-License-Identifier: GPL-2.0 */
/* perf report --html: a report for a browser. */
#ifndef PERF_CMD_REPORT_HTML_H
#define PERF_CMD_REPORT_HTML_H

#include "input_options.h"
#include "report_view.h"
#include "sample_filter.h"

/**
 * struct report_html - options of perf report --html
 * @path: file to write; NULL: the report is text
 * @baseline: earlier recording that the report is compared with, or NULL
 * @without_branches: samples are wanted, not their branches
 * @input: options that choose the recording
 * @filter: options that choose samples
 * @view: options that change call chains
 */
struct report_html {
	const char *path;
	const char *baseline;
	bool without_branches;
	struct input_options *input;
	struct sample_filter *filter;
	const struct report_view *view;
};

/* Read the recordings and write the page. Return: the exit status. */
int report_html(const struct report_html *html);

#endif
