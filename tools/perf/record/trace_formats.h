/* SPDX-License-Identifier: GPL-2.0 */
/* The formats of tracepoints' records for a recording, from tracefs. */
#ifndef PERF_RECORD_TRACE_FORMATS_H
#define PERF_RECORD_TRACE_FORMATS_H

#include "file/file.h"

/**
 * trace_formats() - compose the TRACING_DATA section of a recording
 * @events: recorded events
 * @nr: number of @events
 * @size: receives the size of the section
 *
 * The layout is described in file/tracing_data.c. Events that tracefs no longer has are left
 * out.
 *
 * Return: the section, which the caller frees; NULL if no event is a tracepoint or tracefs
 *   cannot be read.
 */
char *trace_formats(const struct data_event *events, size_t nr, size_t *size);

#endif
