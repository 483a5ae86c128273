/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What happened, a line each: for people, or an object of JSON.
 */
#ifndef PERF_TRACE_LINE_H
#define PERF_TRACE_LINE_H

#include "machine/machine.h"
#include "call.h"

/**
 * struct line_style - how lines look
 * @out: where they go
 * @json: they are objects of JSON
 * @absolute: times are those of the clock, not since the first
 * @first: the time of the first; 0: there was none yet
 */
struct line_style {
	FILE *out;
	bool json;
	bool absolute;
	uint64_t first;
};

/* A call that has ended, or will not. */
void line_print_call(struct line_style *style, const struct thread *thread,
		     const struct call *call);

/**
 * line_print_fault() - a page fault
 * @style: how it looks
 * @thread: whose it was
 * @time: when
 * @major: the page had to be read
 * @at: the instruction
 * @addr: what it wanted
 */
void line_print_fault(struct line_style *style, const struct thread *thread, uint64_t time,
		      bool major, const struct location *at, uint64_t addr);

#endif
