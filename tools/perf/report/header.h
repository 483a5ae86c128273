/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints the header of a recording (--header).
 */
#ifndef PERF_REPORT_HEADER_H
#define PERF_REPORT_HEADER_H

#include <stdio.h>

#include "machine/machine.h"

void report_header(FILE *out, struct session *session);

#endif
