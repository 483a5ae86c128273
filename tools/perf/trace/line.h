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
 * @held: lines that are held until paths are known, with @out as their stream; NULL: not held
 * @json: true to print JSON objects
 * @no_comm: true to print threads without their names
 * @absolute: true for absolute times, false for times since the first record
 * @first: time in ns of the first record; 0: the first line sets it
 * @cpus: true to print CPUs
 * @no_calls: true to print tracepoints without room for a duration, because no calls are printed
 * @max_stack: maximum number of functions of a call chain that are printed; 0: all
 */
struct line_style {
	FILE *out;
	struct held_lines *held;
	bool json;
	bool no_comm;
	bool absolute;
	uint64_t first;
	bool cpus;
	bool no_calls;
	size_t max_stack;
};

/**
 * line_print_call() - Print a call that has returned, or will not return
 * @style: style of the line
 * @thread: thread that made the call
 * @call: call
 * @chain: call chain, or NULL
 */
void line_print_call(struct line_style *style, const struct thread *thread,
		     const struct call *call, const struct callchain *chain);

/**
 * line_print_text() - Print a tracepoint that is not a system call
 * @style: style of the line
 * @thread: thread in which it happened
 * @record: sample
 * @name: name of the event
 * @text: text of the sample
 * @chain: call chain, or NULL
 */
void line_print_text(struct line_style *style, const struct thread *thread,
		     const struct record *record, const char *name, const char *text,
		     const struct callchain *chain);

/**
 * line_print_fault() - Print a page fault
 * @style: style of the line
 * @thread: thread that faulted
 * @record: sample
 * @major: true if the page was read from storage
 * @at: location of the instruction
 * @chain: call chain, or NULL
 */
void line_print_fault(struct line_style *style, const struct thread *thread,
		      const struct record *record, bool major, const struct location *at,
		      const struct callchain *chain);

#endif
