/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where perf top shows what it shows, and where its keys come from: a screen
 * (ncurses), or plain lines that are printed again and again.
 */
#ifndef PERF_TOP_DISPLAY_H
#define PERF_TOP_DISPLAY_H

#include <stdbool.h>

#include "keys.h"
#include "view.h"

/**
 * struct top_display - one of the two
 * @open: take over the terminal; false: it cannot be had
 * @draw: show rows from number @first on, all that fit, or @entries of them if that is not 0
 * @draw_help: show what the keys do
 * @page: how many rows there are on a page
 * @resize: the terminal has another size
 * @key: the next key that was pressed, and what it does; false: there is none
 * @close: give the terminal back as it was; does nothing when that was done
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
