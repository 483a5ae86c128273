/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What raw data of samples say.
 */
#ifndef PERF_MACHINE_TRACE_TEXT_H
#define PERF_MACHINE_TRACE_TEXT_H

#include "../../lib/perf_counter/names.h"
#include "session.h"

/* Do raw data of its samples say something that can be printed? */
static inline bool event_has_trace(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_TRACEPOINT || event_is_off_cpu(attr);
}

/**
 * session_print_trace() - print the record of a tracepoint as the kernel would, or why a task
 * did not run
 * @session: the recording; it knows the names of the kernel's functions
 * @out: where to
 * @attr: of the event
 * @record: its sample
 *
 * Of a record that the recording does not describe, the bytes.
 */
void session_print_trace(struct session *session, FILE *out, const struct perf_event_attr *attr,
			 const struct record *record);

/* Do records of a tracepoint have the field? */
bool session_has_field(const struct session *session, const struct perf_event_attr *attr,
		       const char *field);

/* Print it, of a sample of that tracepoint. */
void session_print_field(const struct session *session, FILE *out,
			 const struct perf_event_attr *attr, const struct record *record,
			 const char *field);

#endif
