// SPDX-License-Identifier: GPL-2.0
/* The browser of perf annotate: annotated functions, one after the other. */
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"
#include "code_browser.h"

static const struct code_subject *subject_of(const struct code_browser *b)
{
	return &b->input->subjects[b->at];
}

static void show(struct code_browser *b)
{
	struct error err;

	code_view_close(&b->view);
	free(b->missing);
	b->missing = NULL;
	if (code_view_open(&b->view, subject_of(b), b->input->style, &err))
		b->missing = xstrdup(err.text);
}

void code_browser_init(struct code_browser *b, const struct code_input *input)
{
	*b = (struct code_browser){ .input = input };
	show(b);
}

/* Go @step functions forward in the list, or backward if @step is negative. */
static void go(struct code_browser *b, int step)
{
	if (step < 0 ? !b->at : b->at + 1 == b->input->nr) {
		code_view_say(&b->view, xstrdup(step < 0 ? "this is the first function" :
						"this is the last function"));
		return;
	}
	b->at += step;
	show(b);
}

void code_browser_key(struct code_browser *b, uint32_t key)
{
	if (!b->missing && code_view_key(&b->view, key))
		return;
	switch (key) {
	case '>':
	case KEY_OF_RIGHT:
	case KEY_OF_FORTH:
		go(b, 1);
		break;
	case '<':
	case KEY_OF_BACK:
		go(b, -1);
		break;
	case 'q':
	case 'Q':
	case CONTROL('d'):
	case KEY_OF_ESCAPE:
	case KEY_OF_LEFT:
	case KEY_OF_BACKSPACE:
		b->quit = true;
		break;
	}
}

/* Draw the reason why a function has no code here, with line breaks between words. */
static void draw_missing(const struct code_browser *b, struct grid *grid)
{
	char *title = xasprintf("%s() cannot be annotated",
				symbol_name(subject_of(b)->function->at.symbol));
	size_t line = 2, column = 1;
	char *text = xstrdup(b->missing), *rest = text, *word;

	grid_put(grid, 0, 1, SIZE_MAX, STYLE_TITLE, title);
	grid_style(grid, 0, 0, SIZE_MAX, STYLE_TITLE);
	while ((word = strsep(&rest, " "))) {
		if (column > 1 && column + text_width(word) >= grid->columns) {
			column = 1;
			line++;
		}
		column += grid_put(grid, line, column, SIZE_MAX, STYLE_PLAIN, word) + 1;
	}
	grid_put(grid, grid->lines - 1, 1, SIZE_MAX, STYLE_TITLE,
		 "q: quit  >: next function  <: the one before");
	grid_style(grid, grid->lines - 1, 0, SIZE_MAX, STYLE_TITLE);
	free(title);
	free(text);
}

void code_browser_draw(struct code_browser *b, struct grid *grid)
{
	if (b->missing)
		draw_missing(b, grid);
	else
		code_view_draw(&b->view, grid);
}

void code_browser_free(struct code_browser *b)
{
	code_view_close(&b->view);
	free(b->missing);
}
