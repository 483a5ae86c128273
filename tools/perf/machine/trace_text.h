/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints the raw data of samples.
 */
#ifndef PERF_MACHINE_TRACE_TEXT_H
#define PERF_MACHINE_TRACE_TEXT_H

#include "../../lib/perf_counter/names.h"
#include "session.h"

/* Return true if samples of the event have raw data that can be printed. */
static inline bool event_has_trace(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_TRACEPOINT || event_is_off_cpu(attr);
}

/**
 * machine_print_trace() - Print the raw data of a sample
 * @machine: machine of the sample, for the names of the kernel's functions
 * @tracing: formats of tracepoints; NULL: none
 * @out: stream to print to
 * @attr: attributes of the event
 * @record: sample
 *
 * The record of a tracepoint is printed in the kernel's format, an off-CPU sample as the reason
 * for being off the CPU. Raw data that @tracing does not describe are printed as bytes.
 */
void machine_print_trace(struct machine *machine, struct tracing_data *tracing, FILE *out,
			 const struct perf_event_attr *attr, const struct record *record);

/* Print the raw data of a sample of a recording by machine_print_trace(). */
void session_print_trace(struct session *session, FILE *out, const struct perf_event_attr *attr,
			 const struct record *record);

/* Return true if records of the tracepoint have the field @field. */
bool session_has_field(const struct session *session, const struct perf_event_attr *attr,
		       const char *field);

/* Print a field of a tracepoint's sample. */
void session_print_field(const struct session *session, FILE *out,
			 const struct perf_event_attr *attr, const struct record *record,
			 const char *field);

#endif
