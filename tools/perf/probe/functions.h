/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists the functions of a program or of the running kernel.
 */
#ifndef PERF_PROBE_FUNCTIONS_H
#define PERF_PROBE_FUNCTIONS_H

#include <stdio.h>

#include "binary.h"

/* Default filter, the same as that of the kernel's perf. */
#define FUNCTIONS_FILTER "!_* & !*@plt"

/**
 * functions_print() - Print the names of functions, each once, in alphabetical order
 * @out: stream to print to
 * @binary: program, library or vmlinux; NULL: the running kernel
 * @module: module of the running kernel whose functions are wanted; NULL: the kernel itself
 * @filter: see name_filter_matches(); valid
 * @err: set to the reason if there are no functions
 *
 * Return: 0, or -1 with @err set.
 */
int functions_print(FILE *out, const struct binary *binary, const char *module,
		    const char *filter, struct error *err);

#endif
