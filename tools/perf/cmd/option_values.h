/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of options that several commands have. What is none is a usage error, and
 * these functions do not return.
 */
#ifndef PERF_OPTION_VALUES_H
#define PERF_OPTION_VALUES_H

#include <argp.h>
#include <stddef.h>
#include <time.h>

/* A number from 1 to @max; @what is the option. */
unsigned long long parse_number(struct argp_state *state, const char *what, const char *text,
				unsigned long long max);

/* Seconds from @min to @max, which may have a fraction. */
double parse_seconds(struct argp_state *state, const char *what, const char *text, double min,
		     double max);

/* A clock by its name, with or without "CLOCK_"; @what is the option. */
clockid_t parse_clock(struct argp_state *state, const char *what, const char *text);

/* -m: "64" pages, or "512K", "1M". Return: pages, rounded up to a power of two. */
size_t parse_pages(struct argp_state *state, const char *text);

#endif
