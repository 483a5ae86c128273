/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests whether libtraceevent reads only the record when it prints a record of an event.
 *
 * A format of a tracepoint is a small program. Some of its parts read as many bytes as the format
 * says, wherever they are, or print with a width of a gigabyte.
 */
#ifndef PERF_FILE_TRACING_CHECK_H
#define PERF_FILE_TRACING_CHECK_H

#include <stdbool.h>

struct tep_event;

/**
 * tracing_event_is_safe() - test whether a format only has parts that stay within the record
 * @event: event, parsed by libtraceevent; its records have been checked to have all its fields
 *
 * Return: true if its records may be printed in this process. false does not mean that the format
 *   is damaged: some formats of the kernel have such parts.
 */
bool tracing_event_is_safe(struct tep_event *event);

#endif
