/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints records, in the format of the kernel's perf.
 */
#ifndef PERF_REPORT_RECORD_PRINT_H
#define PERF_REPORT_RECORD_PRINT_H

#include <stdio.h>

#include "file/file.h"

const char *record_type_name(uint32_t type);
void record_print(FILE *out, const struct record *record);
void record_print_details(FILE *out, const struct event_table *events,
			  const struct record *record);

#endif
