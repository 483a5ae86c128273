/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints a line for each event of perf trace: text, or a JSON object.
 */
#ifndef PERF_TRACE_LINE_H
#define PERF_TRACE_LINE_H

#include "machine/machine.h"
#include "call.h"

/**
 * struct line_style - the style of the lines
 * @out: stream to print to
 * @json: true to print JSON objects
 * @no_comm: true to print threads without their names
 * @absolute: true for absolute times, false for times since the first record
 * @first: time in ns of the first record; 0: the first line sets it
 */
struct line_style {
	FILE *out;
	bool json;
	bool no_comm;
	bool absolute;
	uint64_t first;
};

/* Print a call that has returned, or will not return. */
void line_print_call(struct line_style *style, const struct thread *thread,
		     const struct call *call);

/**
 * line_print_fault() - Print a page fault
 * @style: style of the line
 * @thread: thread that faulted
 * @time: time in ns
 * @major: true if the page was read from storage
 * @at: location of the instruction
 * @addr: address that it accessed
 */
void line_print_fault(struct line_style *style, const struct thread *thread, uint64_t time,
		      bool major, const struct location *at, uint64_t addr);

#endif
