/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of options that several commands have. What is none is a usage error, and
 * these functions do not return.
 */
#ifndef PERF_CMD_OPTION_VALUES_H
#define PERF_CMD_OPTION_VALUES_H

#include <argp.h>
#include <stddef.h>
#include <time.h>

#include "measure/measure.h"

/* A number from @min to @max; @what is the option. */
unsigned long long parse_number(struct argp_state *state, const char *what, const char *text,
				unsigned long long min, unsigned long long max);

/* Events are added to the list (-e); one that there is not is a failure, no usage error. */
void parse_events(struct argp_state *state, struct event_list *events, const char *text);
void parse_filter(struct argp_state *state, struct event_list *events, const char *text);

/* Samples per second, or "max" (-F); events per sample (-c). */
void parse_freq(struct argp_state *state, struct sampling *s, const char *text);
void parse_period(struct argp_state *state, struct sampling *s, const char *text);

/* Call chains by what @mode says (--call-graph); branches by filters (-j), "any" for -b. */
void parse_call_graph(struct argp_state *state, struct sampling *s, const char *mode);
void parse_branch_filter(struct argp_state *state, struct sampling *s, const char *list);

/* What of these options contradict one another; or NULL. */
const char *refuse_branches(const struct sampling *s);

/* Seconds from @min to @max, which may have a fraction. */
double parse_seconds(struct argp_state *state, const char *what, const char *text, double min,
		     double max);

/* A clock by its name, with or without "CLOCK_"; @what is the option. */
clockid_t parse_clock(struct argp_state *state, const char *what, const char *text);

/* -m: "64" pages, or "512K", "1M". Return: pages, rounded up to a power of two. */
size_t parse_pages(struct argp_state *state, const char *text);

#endif
