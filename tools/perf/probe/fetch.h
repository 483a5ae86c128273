/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Translates variables to the form that makes tracefs fetch them.
 */
#ifndef PERF_PROBE_FETCH_H
#define PERF_PROBE_FETCH_H

#include <stdio.h>

#include "place.h"

/**
 * fetch_argument() - Make the text that makes tracefs fetch an argument
 * @text: set to "NAME=FETCH:TYPE"; the caller frees it
 * @place: place of the event; NULL: unknown
 * @arg: argument
 * @is_return: true if the event happens when the function returns
 * @err: set to the reason if the argument cannot be fetched
 *
 * Return: 0, or -1 with @err set.
 */
int fetch_argument(char **text, const struct place *place, const struct probe_arg *arg,
		   bool is_return, struct error *err);

/* Print the parameters at @place: their types, and the form of tracefs or the reason for none. */
int fetch_print_variables(FILE *out, struct place *place, struct error *err);

#endif
