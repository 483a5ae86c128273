/* SPDX-License-Identifier: GPL-2.0 */
/* Fields of CSV (RFC 4180). */
#ifndef PERF_EXPORT_CSV_H
#define PERF_EXPORT_CSV_H

#include <stdio.h>

/* Print a text, in quotation marks if it has a character that is special in CSV. */
void csv_print_string(FILE *out, const char *text);

#endif
