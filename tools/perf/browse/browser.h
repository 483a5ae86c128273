/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The browser without its terminal: the model, and the menu, question or text above it. Keys change
 * it, and draw.c draws it.
 */
#ifndef PERF_BROWSE_BROWSER_H
#define PERF_BROWSE_BROWSER_H

#include "code_view.h"
#include "menu.h"
#include "model.h"
#include "prompt.h"
#include "text_view.h"

/* The part of the browser that keys apply to. */
enum browse_mode {
	MODE_ROWS,
	MODE_MENU,
	MODE_PROMPT,
	MODE_ASK,		/* a question with the answers y and n */
	MODE_TEXT,
	MODE_CODE,		/* an annotated function */
};

/* The purpose of a prompt. */
enum prompt_purpose {
	PURPOSE_FILTER,
	PURPOSE_SEARCH,
	PURPOSE_SORT,
	PURPOSE_SAVE,
};

/**
 * struct browser - the browser
 * @model: rows and views
 * @mode: part of the browser that keys apply to
 * @menu: menu, in MODE_MENU
 * @text: text, in MODE_TEXT
 * @code: annotated function, in MODE_CODE
 * @hits: samples of @code and of the other functions of the view
 * @place: location in the function of @code
 * @purpose: purpose of @prompt
 * @prompt: text of the prompt
 * @before: filter, or cursor, before the prompt
 * @cursor_before: cursor before the prompt
 * @searched: text that was searched last
 * @message: message in the last line, until the next key
 * @header: number of lines above the rows, as they were drawn last
 * @working: called before a step that may take long; may be NULL
 * @quit: the user wants to quit
 */
struct browser {
	struct browse_model model;
	enum browse_mode mode;
	struct menu menu;
	struct text_view text;
	struct code_view code;
	struct code_hits hits;
	struct location place;
	enum prompt_purpose purpose;
	char prompt[PROMPT_SIZE];
	char *before;
	size_t cursor_before;
	char *searched;
	char *message;
	size_t header;
	void (*working)(void);
	bool quit;
};

/* Start with the first event. The browser must not move. */
void browser_init(struct browser *b, const struct browse_input *input);

/**
 * browser_key() - Handle a key
 * @b: browser
 * @key: character, or an enum browse_key
 */
void browser_key(struct browser *b, uint32_t key);

/**
 * browser_click() - Handle a click
 * @b: browser
 * @grid: grid that was drawn last
 * @line: line of the click
 *
 * A click chooses a row; a click on the chosen row opens its menu.
 */
void browser_click(struct browser *b, const struct grid *grid, size_t line);

/* Show the samples as they are now: rows, or the annotated function. */
void browser_update(struct browser *b);

/* Draw the browser. */
void browser_draw(struct browser *b, struct grid *grid);

void browser_free(struct browser *b);

#endif
