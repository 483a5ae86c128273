/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strings as JSON has them.
 */
#ifndef PERF_UTIL_JSON_H
#define PERF_UTIL_JSON_H

#include <stddef.h>
#include <stdio.h>

/* @size bytes in quotation marks. What is no UTF-8 becomes U+FFFD. */
void json_print_bytes(FILE *out, const char *bytes, size_t size);

/* A whole string. */
void json_print_string(FILE *out, const char *string);

#endif
