/* SPDX-License-Identifier: GPL-2.0 */
/* Parsing of a command's arguments. */
#ifndef PERF_CMD_ARGUMENTS_H
#define PERF_CMD_ARGUMENTS_H

#include <argp.h>

/*
 * Call argp_parse(), which exits after an error. Control characters of arguments that a message
 * repeats are escaped.
 */
void parse_arguments(const struct argp *argp, int argc, char **argv, unsigned int flags,
		     void *input);

#endif
