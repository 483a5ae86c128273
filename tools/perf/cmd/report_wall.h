/* SPDX-License-Identifier: GPL-2.0 */
/* perf report --wall: the time that passed for each thread. */
#ifndef PERF_CMD_REPORT_WALL_H
#define PERF_CMD_REPORT_WALL_H

#include "input_options.h"
#include "report_view.h"
#include "sample_filter.h"

/* The sort keys without --sort. */
#define REPORT_WALL_KEYS "tid,state,sym,waker"

/**
 * struct report_wall - options of perf report --wall
 * @asked: --wall was given
 * @path: print the critical path of a thread
 * @input: options that choose the recording
 * @filter: options that choose threads
 * @view: options that change call chains and the table
 * @keys: sort keys of --sort; NULL: the default
 */
struct report_wall {
	bool asked;
	bool path;
	struct input_options *input;
	struct sample_filter *filter;
	const struct report_view *view;
	const struct sort_keys *keys;
};

/* Read the recording and print the report. Return: the exit status. */
int report_wall(const struct report_wall *wall);

#endif
