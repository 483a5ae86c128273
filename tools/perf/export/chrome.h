/* SPDX-License-Identifier: GPL-2.0 */
/* Trace events in JSON, for chrome://tracing and other viewers. */
#ifndef PERF_EXPORT_CHROME_H
#define PERF_EXPORT_CHROME_H

#include <stdio.h>

#include "profile.h"

/* Write the samples, and the times that threads had a CPU if context switches were recorded. */
void export_chrome(FILE *out, const struct profile *p);

#endif
