/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Variables, and how they are fetched.
 */
#ifndef PERF_PROBE_FETCH_H
#define PERF_PROBE_FETCH_H

#include <stdio.h>

#include "place.h"

/**
 * fetch_argument() - what tracefs is told to fetch for an argument
 * @text: where to, "NAME=FETCH:TYPE"; the caller frees it
 * @place: where the event is; NULL: nothing is known of it
 * @arg: the argument
 * @is_return: it is fetched when the function returns
 * @err: why it cannot be fetched
 *
 * Return: 0, or -1 with @err set.
 */
int fetch_argument(char **text, const struct place *place, const struct probe_arg *arg,
		   bool is_return, struct error *err);

/* Print the variables at @place, their types, and how or why not they are fetched. */
int fetch_print_variables(FILE *out, struct place *place, struct error *err);

#endif
