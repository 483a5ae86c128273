/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the records of tracepoints look like, as tracefs describes it, for a recording.
 */
#ifndef PERF_RECORD_TRACE_FORMATS_H
#define PERF_RECORD_TRACE_FORMATS_H

#include "file/file.h"

/**
 * trace_formats() - the TRACING_DATA section of a recording
 * @events: what is recorded
 * @nr: number of @events
 * @size: gets the size of the section
 *
 * Its layout is at the top of file/tracing_data.c. An event that tracefs does not have any more
 * is not in it.
 *
 * Return: the section, which the caller frees; NULL when no event is a tracepoint, or tracefs
 * cannot be read.
 */
char *trace_formats(const struct data_event *events, size_t nr, size_t *size);

#endif
