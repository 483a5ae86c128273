/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the record of a tracepoint says.
 */
#ifndef PERF_MACHINE_TRACE_TEXT_H
#define PERF_MACHINE_TRACE_TEXT_H

#include "session.h"

/**
 * session_print_trace() - print the record of a tracepoint as the kernel would
 * @session: the recording; it knows the names of the kernel's functions
 * @out: where to
 * @attr: of the event
 * @record: its sample
 *
 * Of a record that the recording does not describe, the bytes.
 */
void session_print_trace(struct session *session, FILE *out, const struct perf_event_attr *attr,
			 const struct record *record);

#endif
