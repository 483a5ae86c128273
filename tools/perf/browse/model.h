/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of the browser that does not depend on a terminal: the view, the visible rows, the
 * cursor, and the history of views.
 */
#ifndef PERF_BROWSE_MODEL_H
#define PERF_BROWSE_MODEL_H

#include "folds.h"
#include "rows.h"
#include "view.h"

struct code_style;

/**
 * struct browse_live - functions of a browser that shows the running machine
 * @context: first argument of the functions
 * @key: function that handles a key; false if the key has no meaning. It may set *@message to a
 *	text for the user, which the browser frees
 * @state: function that returns the state of the measurement for the first line; the browser frees
 *	the text
 * @help: help for the keys of @key
 */
struct browse_live {
	void *context;
	bool (*key)(void *context, uint32_t key, char **message);
	char *(*state)(void *context);
	const char *help;
};

/**
 * struct browse_input - samples to browse
 * @path: path of the recording
 * @events: events with samples
 * @nr_events: number of @events, at least 1
 * @style: style of the report
 * @relative: percentages refer to the samples of the view at first
 * @lost: number of samples that were lost while recording
 * @machine: machine at the end of the recording, with the mappings of BPF programs
 * @code: form of annotated functions; NULL: functions cannot be annotated
 * @live: the running machine, whose samples change; NULL for a recording
 */
struct browse_input {
	const char *path;
	struct browse_event *events;
	size_t nr_events;
	const struct report_style *style;
	bool relative;
	uint64_t lost;
	const struct machine *machine;
	struct code_style *code;
	const struct browse_live *live;
};

/**
 * struct place - a view in the history
 * @view: view
 * @filter: text that rows must contain
 * @cursor: index of the chosen row
 * @row: number of that row when the place was stored in the history, see row_number()
 * @top: index of the first row on the screen
 */
struct place {
	struct view view;
	char *filter;
	size_t cursor;
	uint64_t row;
	size_t top;
};

/* Maximum number of places in the history; older ones are forgotten. */
#define PLACES_MAX 256

/**
 * struct browse_model - the state of the browser
 * @input: samples to browse
 * @now: current place
 * @hist: histogram of the view
 * @table: table of @hist
 * @list: visible rows of @table
 * @folds: memory of the unfolded rows
 * @follow: the user has moved the cursor, so it stays on its row when the samples change
 * @relative: percentages refer to the samples of the view
 * @hidden: hashes of the rows that the user has hidden
 * @nr_hidden: number of @hidden
 * @page: number of rows on the screen
 * @places: history; @now replaces element @at, which is older
 * @nr_places: number of @places
 * @at: index of the current place
 */
struct browse_model {
	const struct browse_input *input;
	struct place now;
	struct hist hist;
	struct report_table table;
	struct row_list list;
	struct fold_memory folds;
	bool follow;
	bool relative;
	uint64_t *hidden;
	size_t nr_hidden;
	size_t page;
	struct place places[PLACES_MAX];
	size_t nr_places;
	size_t at;
};

/* Make the model, with a view of the first event. It must not move. */
void model_init(struct browse_model *m, const struct browse_input *input);

const struct browse_event *model_event(const struct browse_model *m);

/* Return the chosen row; NULL if there are no rows. */
const struct browse_row *model_row(const struct browse_model *m);

/* Return the entry of the chosen row; NULL if there are no rows. */
const struct hist_entry *model_entry(const struct browse_model *m);

/* Move the cursor by some rows, or to a row; both stop at the first and the last row. */
void model_move(struct browse_model *m, long rows);
void model_go_to(struct browse_model *m, size_t row);

/* Set the number of rows on the screen, and scroll so that the cursor is on it. */
void model_set_page(struct browse_model *m, size_t page);

/* Move the cursor to the first row, where it stays whatever row that is. */
void model_go_first(struct browse_model *m);

/**
 * model_update() - Show the samples as they are now
 * @m: model, after the samples of its events have changed
 *
 * The chosen row stays chosen, and unfolded rows stay unfolded.
 */
void model_update(struct browse_model *m);

/* Fold or unfold the chosen row, or all rows. */
void model_set_open(struct browse_model *m, bool open);
void model_set_all(struct browse_model *m, bool open);

/*
 * Move the cursor to the row that is unfolded to show the chosen one. Return false if there is
 * none.
 */
bool model_go_up(struct browse_model *m);

/* Hide the chosen row of the table, or show all hidden rows. */
void model_hide(struct browse_model *m);
void model_show_hidden(struct browse_model *m);

/* Show only rows that contain a text. */
void model_filter(struct browse_model *m, const char *text);

/**
 * model_search() - Move the cursor to a row that contains a text
 * @m: model
 * @text: text, in upper or lower case
 * @start: row to begin at
 * @step: 1 to search forward, -1 backward; the search goes on at the other end
 *
 * Return: false if no row contains the text.
 */
bool model_search(struct browse_model *m, const char *text, size_t start, int step);

/* Show a part of the samples of this view. Return false if there are too many restrictions. */
bool model_zoom(struct browse_model *m, const struct zoom *zoom);

/* Sort by keys, separated by commas; "" for the keys of the event. Return false with @err set. */
bool model_sort(struct browse_model *m, const char *keys, struct error *err);

/* Show the next event, or the one before (@step -1). */
void model_next_event(struct browse_model *m, int step);

/* Change whether the share of callees is added to callers. */
void model_toggle_children(struct browse_model *m);

/* Change what percentages refer to. */
void model_toggle_relative(struct browse_model *m);

/* Go to an older (-1) or newer (1) place of the history. Return false if there is none. */
bool model_travel(struct browse_model *m, int step);

/* Return the names of the sort keys, separated by commas; the caller frees the text. */
char *model_keys_text(const struct sort_keys *keys);

void model_free(struct browse_model *m);

#endif
