// SPDX-License-Identifier: GPL-2.0
/* A text of several lines that can be scrolled. */
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "text_view.h"

/* Columns by which a key scrolls to the side. */
#define SIDE_STEP 8

/* Return a line without its tabs, which have stops at every eighth column. */
static char *copy_line(const char *text, size_t size)
{
	char *copy = xcalloc(size * 8 + 1, 1), *out = copy;
	size_t i;

	for (i = 0; i < size; i++) {
		if (text[i] != '\t') {
			*out++ = text[i];
			continue;
		}
		do {
			*out++ = ' ';
		} while ((out - copy) % 8);
	}
	return copy;
}

void text_view_set(struct text_view *view, const char *title, const char *text)
{
	size_t page = view->page, room = 0;

	text_view_free(view);
	view->title = xstrdup(title);
	view->page = page;
	while (*text) {
		size_t size = strcspn(text, "\n");

		if (view->nr == room) {
			room = room ? room * 2 : 64;
			view->lines = xreallocarray(view->lines, room, sizeof(*view->lines));
		}
		view->lines[view->nr++] = copy_line(text, size);
		text += size;
		text += *text == '\n';
	}
}

static void scroll(struct text_view *view, long lines)
{
	size_t last = view->nr > view->page ? view->nr - view->page : 0;

	if (lines < 0 && (size_t)-lines > view->top)
		view->top = 0;
	else
		view->top += lines;
	if (view->top > last)
		view->top = last;
}

bool text_view_key(struct text_view *view, uint32_t key)
{
	switch (key) {
	case KEY_OF_UP:
	case 'k':
		scroll(view, -1);
		return true;
	case KEY_OF_DOWN:
	case KEY_OF_ENTER:
	case 'j':
		scroll(view, 1);
		return true;
	case KEY_OF_PAGE_UP:
		scroll(view, -(long)view->page);
		return true;
	case KEY_OF_PAGE_DOWN:
	case ' ':
		scroll(view, view->page);
		return true;
	case KEY_OF_FIRST:
		view->top = 0;
		return true;
	case KEY_OF_LAST:
		scroll(view, view->nr);
		return true;
	case KEY_OF_LEFT:
		view->left -= view->left < SIDE_STEP ? view->left : SIDE_STEP;
		return true;
	case KEY_OF_RIGHT:
		view->left += SIDE_STEP;
		return true;
	default:
		return false;
	}
}

/* Return the part of a line after its first @left columns. */
static const char *skip_columns(const char *line, size_t left)
{
	while (*line && left) {
		uint32_t c;
		size_t bytes = utf8_decode((const unsigned char *)line, SIZE_MAX, &c);
		size_t width = bytes ? character_width(c) : 1;

		left -= width < left ? width : left;
		line += bytes ?: 1;
	}
	return line;
}

void text_view_draw(struct text_view *view, struct grid *grid)
{
	size_t i;

	view->page = grid->lines > 2 ? grid->lines - 2 : 1;
	scroll(view, 0);
	grid_put(grid, 0, 1, SIZE_MAX, STYLE_TITLE, view->title);
	grid_style(grid, 0, 0, SIZE_MAX, STYLE_TITLE);
	for (i = 0; i < view->page && view->top + i < view->nr; i++)
		grid_put(grid, 1 + i, 0, SIZE_MAX, STYLE_PLAIN,
			 skip_columns(view->lines[view->top + i], view->left));
	grid_put(grid, grid->lines - 1, 1, SIZE_MAX, STYLE_TITLE,
		 "q: back  arrow keys, Page Up and Page Down: scroll");
	grid_style(grid, grid->lines - 1, 0, SIZE_MAX, STYLE_TITLE);
}

void text_view_free(struct text_view *view)
{
	size_t i;

	for (i = 0; i < view->nr; i++)
		free(view->lines[i]);
	free(view->lines);
	free(view->title);
	*view = (struct text_view){ 0 };
}
