/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments of system calls that are numbers with names: flags, commands, signals.
 */
#ifndef PERF_TRACE_CONSTANTS_H
#define PERF_TRACE_CONSTANTS_H

#include <stdint.h>
#include <stdio.h>

struct constants;

/* The names that an argument's values have; NULL: they have none. */
const struct constants *constants_find(const char *syscall, const char *arg);

/* What is not named of a value is added to it in hexadecimal. */
void constants_print(const struct constants *constants, uint64_t value, FILE *out);

#endif
