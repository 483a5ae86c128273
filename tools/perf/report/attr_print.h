/* SPDX-License-Identifier: GPL-2.0 */
/* Prints the attr with which an event was opened. */
#ifndef PERF_REPORT_ATTR_PRINT_H
#define PERF_REPORT_ATTR_PRINT_H

#include <linux/perf_event.h>
#include <stdio.h>

/* Print the fields of an attr that are not 0, as "type: 1, size: 128, config: 0x2, ...". */
void attr_print(FILE *out, const struct perf_event_attr *attr);

#endif
