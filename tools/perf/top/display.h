/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The output and the keys of perf top: a screen (ncurses), or plain lines that are printed
 * repeatedly.
 */
#ifndef PERF_TOP_DISPLAY_H
#define PERF_TOP_DISPLAY_H

#include <stdbool.h>

#include "keys.h"
#include "view.h"

/**
 * struct top_display - an output of perf top
 * @open: take over the terminal; false if that fails
 * @draw: draw rows from number @first on: one page, or @entries rows if that is not 0
 * @draw_help: draw the help text
 * @page: return the number of rows on a page
 * @resize: adapt to a new size of the terminal
 * @key: set the action of the next key; false if no key was pressed
 * @close: restore the terminal; a second call has no effect
 */
struct top_display {
	bool (*open)(void);
	bool (*draw)(const struct top_view *view, size_t first, size_t entries);
	bool (*draw_help)(void);
	size_t (*page)(void);
	void (*resize)(void);
	bool (*key)(enum top_action *action);
	void (*close)(void);
};

extern const struct top_display top_screen;
extern const struct top_display top_plain;

#endif
