/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of constants in arguments of system calls: flags, commands, signals.
 */
#ifndef PERF_TRACE_CONSTANTS_H
#define PERF_TRACE_CONSTANTS_H

#include <stdint.h>
#include <stdio.h>

struct constants;

/* Find the names of an argument's values. Return: NULL if they have no names. */
const struct constants *constants_find(const char *syscall, const char *arg);

/* Print a value by names; bits without a name are added in hexadecimal. */
void constants_print(const struct constants *constants, uint64_t value, FILE *out);

#endif
