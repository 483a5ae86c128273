/* SPDX-License-Identifier: GPL-2.0 */
/* A page on a terminal, with ncurses. */
#ifndef PERF_BROWSE_SCREEN_H
#define PERF_BROWSE_SCREEN_H

#include "grid.h"
#include "keys.h"

/**
 * struct screen_page - a program that a user sees on the terminal
 * @context: first argument of the functions
 * @draw: draw on a grid that has the size of the terminal and is empty
 * @key: handle a key
 * @click: handle a click on a line of the grid
 * @is_over: return true if the user wants to quit
 */
struct screen_page {
	void *context;
	void (*draw)(void *context, struct grid *grid);
	void (*key)(void *context, uint32_t key);
	void (*click)(void *context, const struct grid *grid, size_t line);
	bool (*is_over)(void *context);
};

/* Take over the terminal. Return false if it cannot be used. */
bool screen_open(void);

/* Restore the terminal, and print messages that came meanwhile. A second call has no effect. */
void screen_close(void);

void screen_draw(const struct screen_page *page);

/* Pass on the keys that have come, after poll(). Return false if the terminal was closed. */
bool screen_keys(const struct screen_page *page);

/* Say in the last line that a step takes longer, until the page is drawn again. */
void screen_say_working(void);

/**
 * screen_run() - Draw a page and pass on keys until the user quits
 * @page: page
 *
 * Return: 0; the number of a signal that ended the page, plus 128.
 */
int screen_run(const struct screen_page *page);

#endif
