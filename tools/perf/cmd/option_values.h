/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parsers for values of options that several commands share. An invalid value is a usage error,
 * and the functions do not return then.
 */
#ifndef PERF_CMD_OPTION_VALUES_H
#define PERF_CMD_OPTION_VALUES_H

#include <argp.h>
#include <stddef.h>
#include <time.h>

#include "measure/measure.h"

/* Parse a number from @min to @max; @what is the option. */
unsigned long long parse_number(struct argp_state *state, const char *what, const char *text,
				unsigned long long min, unsigned long long max);

/* Add the numbers of a list such as "1,3-5"; @what names one of them, as "thread id". */
void parse_list(struct argp_state *state, struct int_list *list, const char *text,
		const char *what);

/* Parse -t of a table: the character between columns, or "\\t" for a tab. */
char parse_separator(struct argp_state *state, const char *text);

/* Add the events of -e to the list. An unknown event is a failure, not a usage error. */
void parse_events(struct argp_state *state, struct event_list *events, const char *text);
/* Add a filter to the last event of the list. */
void parse_filter(struct argp_state *state, struct event_list *events, const char *text);

/* Parse -F: samples per second, or "max". */
void parse_freq(struct argp_state *state, struct sampling *s, const char *text);
/* Parse -c: events per sample. */
void parse_period(struct argp_state *state, struct sampling *s, const char *text);

/* Parse the mode of --call-graph. */
void parse_call_graph(struct argp_state *state, struct sampling *s, const char *mode);
/* Parse the filters of -j; the list is "any" for -b. */
void parse_branch_filter(struct argp_state *state, struct sampling *s, const char *list);

/* Return a message if the branch options contradict one another, or NULL. */
const char *refuse_branches(const struct sampling *s);

/* Parse a number of @unit, such as seconds, from @min to @max, perhaps with a fraction. */
double parse_decimal(struct argp_state *state, const char *what, const char *unit, const char *text,
		     double min, double max);

/* Parse the name of a clock, with or without "CLOCK_"; @what is the option. */
clockid_t parse_clock(struct argp_state *state, const char *what, const char *text);

/* Parse a size in bytes, perhaps with B, K, M or G. */
double parse_size(struct argp_state *state, const char *what, const char *text);

/* Parse -m: pages ("64") or a size ("512K"). Return: pages, rounded up to a power of two. */
size_t parse_pages(struct argp_state *state, const char *text);

/*
 * Give perf the priority of SCHED_FIFO that -r chose; 0: change nothing. Return: 0, or -1 with
 * @err.
 */
int use_priority(int priority, struct error *err);

#endif
