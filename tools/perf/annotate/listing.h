/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of an annotated function.
 */
#ifndef PERF_ANNOTATE_LISTING_H
#define PERF_ANNOTATE_LISTING_H

#include "code_hits.h"
#include "code_line.h"
#include "jumps.h"
#include "source_text.h"

/* Whole of percentages: the samples or the periods of the function, or of the event. */
enum percent_type {
	PERCENT_LOCAL_PERIOD,
	PERCENT_LOCAL_HITS,
	PERCENT_GLOBAL_PERIOD,
	PERCENT_GLOBAL_HITS,
};

enum line_kind {
	LINE_CODE,		/* an instruction */
	LINE_SOURCE,		/* the source line of the instructions below */
	LINE_FUNCTION,		/* the inlined functions that the instructions below come from */
	LINE_LOOP,		/* a loop begins */
};

/**
 * struct listing_line - an instruction, or a line about the instructions below it
 * @kind: kind of the line
 * @code: index of the instruction in a LINE_CODE; otherwise of the first instruction below
 * @loop: index of the loop, in a LINE_LOOP
 * @text: text of a LINE_SOURCE or LINE_FUNCTION, safe to print; NULL if the source file was not
 * found
 */
struct listing_line {
	enum line_kind kind;
	uint32_t code;
	uint32_t loop;
	char *text;
};

/**
 * struct listing_style - contents of a listing
 * @intel: write operands of x86 in the order of Intel's manuals
 * @with_source: add lines for source lines and inlined functions
 * @texts: source files
 */
struct listing_style {
	bool intel;
	bool with_source;
	struct source_texts texts;
};

/**
 * struct listing - an annotated function
 * @function: samples of the function
 * @nr_events: number of events that are shown side by side
 * @locals: samples of the function, for each event
 * @globals: all samples, for each event
 * @code: instructions
 * @nr: number of elements of @code
 * @shares: samples of each instruction: @nr_events elements for each
 * @lines: instructions, and the lines above them
 * @nr_lines: number of elements of @lines
 * @jumps: drawn jumps
 * @loops: loops
 * @nr_loops: number of elements of @loops
 * @loop_shares: samples of each loop: @nr_events elements for each
 * @nr_outside: number of samples in the function, but not in the code that was read
 * @cut: the function is larger than what is shown
 */
struct listing {
	const struct function_hits *function;
	size_t nr_events;
	struct share *locals;
	struct share *globals;
	struct code_line *code;
	uint32_t nr;
	struct share *shares;
	struct listing_line *lines;
	size_t nr_lines;
	struct jumps jumps;
	struct loop *loops;
	uint32_t nr_loops;
	struct share *loop_shares;
	uint64_t nr_outside;
	bool cut;
};

/**
 * listing_make() - Annotate a function
 * @listing: filled in; listing_free() frees it
 * @hits: samples of the recording
 * @function: function
 * @events: indexes of the events to show
 * @nr_events: number of @events, at least 1
 * @style: contents; keeps the source files that were read
 * @err: set to the reason, and the remedy, if the function has no code here
 *
 * Return: 0, or -1 with @err set.
 */
int listing_make(struct listing *listing, const struct code_hits *hits,
		 const struct function_hits *function, const size_t *events, size_t nr_events,
		 struct listing_style *style, struct error *err);

/**
 * listing_refresh() - Show other samples of the same function and events
 * @listing: listing
 * @hits: samples of the recording
 * @function: function
 * @events: indexes of the events to show
 *
 * The lines stay the same. Branch records of the listing stay, too.
 */
void listing_refresh(struct listing *listing, const struct code_hits *hits,
		     const struct function_hits *function, const size_t *events);

/* Return a share in percent; @event is the position among the events that are shown. */
double listing_percent(const struct listing *listing, const struct share *share, size_t event,
		       enum percent_type type);

void listing_free(struct listing *listing);

#endif
