/* SPDX-License-Identifier: GPL-2.0 */
/* A text of several lines that can be scrolled. */
#ifndef PERF_BROWSE_TEXT_VIEW_H
#define PERF_BROWSE_TEXT_VIEW_H

#include "grid.h"
#include "keys.h"

/**
 * struct text_view - a text; all zeros: none
 * @title: title
 * @lines: lines
 * @nr: number of @lines
 * @top: index of the first line on the screen
 * @left: number of columns that are left of the screen
 * @page: number of lines on the screen
 */
struct text_view {
	char *title;
	char **lines;
	size_t nr;
	size_t top;
	size_t left;
	size_t page;
};

/* Show a text, whose lines end with a newline. */
void text_view_set(struct text_view *view, const char *title, const char *text);

/* Scroll by a key. Return false if the key does not scroll. */
bool text_view_key(struct text_view *view, uint32_t key);

void text_view_draw(struct text_view *view, struct grid *grid);

void text_view_free(struct text_view *view);

#endif
