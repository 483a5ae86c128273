/* SPDX-License-Identifier: GPL-2.0 */
/* Strings in JSON syntax: RFC 8259, section 7. */
#ifndef PERF_UTIL_JSON_H
#define PERF_UTIL_JSON_H

#include <stddef.h>
#include <stdio.h>

/* Print @size bytes in quotation marks. Bytes that are not UTF-8 become U+FFFD. */
void json_print_bytes(FILE *out, const char *bytes, size_t size);

/* Print a NUL-terminated string in quotation marks. */
void json_print_string(FILE *out, const char *string);

#endif
