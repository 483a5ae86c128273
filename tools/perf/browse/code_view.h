/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An annotated function on the screen: its instructions with their shares of the samples, source
 * lines, inlined functions, jumps and loops.
 */
#ifndef PERF_BROWSE_CODE_VIEW_H
#define PERF_BROWSE_CODE_VIEW_H

#include "annotate/annotate.h"
#include "grid.h"
#include "keys.h"
#include "prompt.h"
#include "text_view.h"

/* The contents of the columns of events. */
enum code_column {
	CODE_PERCENT,
	CODE_SAMPLES,
	CODE_PERIOD,
};

/**
 * struct code_style - form of annotated functions
 * @listing: contents of the listings; keeps the source files that were read
 * @column: contents of the columns of events
 * @type: whole that percentages refer to
 * @no_source: source lines and inlined functions are hidden
 * @no_jumps: jumps, loops and the hot path are hidden
 */
struct code_style {
	struct listing_style listing;
	enum code_column column;
	enum percent_type type;
	bool no_source;
	bool no_jumps;
};

/**
 * struct code_subject - the function to show
 * @hits: samples of the recording
 * @function: function
 * @events: indexes of the events to show
 * @nr_events: number of @events, at least 1
 * @names: names of the events, without control characters
 */
struct code_subject {
	const struct code_hits *hits;
	const struct function_hits *function;
	const size_t *events;
	size_t nr_events;
	const char *names;
};

/**
 * struct code_view - an annotated function; all zeros: none
 * @style: form of the view
 * @title: first line of the screen
 * @listing: lines of the function
 * @has_runs: some samples have records of all branches that were taken
 * @has_branches: some samples have branch records
 * @has_cycles: some branch records have cycles
 * @shown: indexes of the lines of @listing that are not hidden
 * @nr: number of @shown
 * @hot: indexes of the instructions with samples, the hottest first
 * @nr_hot: number of @hot
 * @hot_at: index in @hot of the instruction that was gone to last
 * @cursor: index in @shown of the chosen line
 * @top: index in @shown of the first line on the screen
 * @page: number of lines on the screen; 0 before the view is drawn
 * @typing: the user types the text of a search
 * @prompt: text of the search
 * @before: cursor before the prompt
 * @message: message in the last line, until the next key
 * @helping: the help is shown
 * @help: the help
 */
struct code_view {
	struct code_style *style;
	char *title;
	struct listing listing;
	bool has_runs;
	bool has_branches;
	bool has_cycles;
	uint32_t *shown;
	uint32_t nr;
	uint32_t *hot;
	uint32_t nr_hot;
	uint32_t hot_at;
	size_t cursor;
	size_t top;
	size_t page;
	bool typing;
	char prompt[PROMPT_SIZE];
	size_t before;
	char *message;
	bool helping;
	struct text_view help;
};

/**
 * code_view_open() - Show a function, with the cursor at the hottest instruction
 * @view: all zeros, or a view that code_view_close() has freed
 * @subject: function
 * @style: form of the view; keys change it
 * @err: set to the reason, and the remedy, if the function has no code here
 *
 * Return: 0, or -1 with @err set.
 */
int code_view_open(struct code_view *view, const struct code_subject *subject,
		   struct code_style *style, struct error *err);

/* Show other samples of the same function; the cursor stays on its line. */
void code_view_refresh(struct code_view *view, const struct code_subject *subject);

/* Handle a key. Return false if the view has no use for it. */
bool code_view_key(struct code_view *view, uint32_t key);

/* Choose the line of a click. */
void code_view_click(struct code_view *view, size_t line);

/* Show a message in the last line until the next key. The view frees the text. */
void code_view_say(struct code_view *view, char *message);

/* Return the text of a shown line without its columns; the caller frees it. */
char *code_view_text(const struct code_view *view, size_t i);

void code_view_draw(struct code_view *view, struct grid *grid);

void code_view_close(struct code_view *view);

#endif
