// SPDX-License-Identifier: GPL-2.0
/* A menu: lines, from which the user chooses one. */
#include <stdlib.h>

#include "util/util.h"
#include "menu.h"

/* Columns of the frame around the texts: a bar and a blank on each side. */
#define FRAME 4

void menu_add(struct menu *menu, char *text, int action, size_t argument)
{
	menu->lines = xreallocarray(menu->lines, menu->nr + 1, sizeof(*menu->lines));
	menu->lines[menu->nr++] = (struct menu_line){ text, action, argument };
}

bool menu_key(struct menu *menu, uint32_t key)
{
	switch (key) {
	case KEY_OF_UP:
	case 'k':
		menu->chosen = (menu->chosen + menu->nr - 1) % menu->nr;
		return true;
	case KEY_OF_DOWN:
	case 'j':
		menu->chosen = (menu->chosen + 1) % menu->nr;
		return true;
	case KEY_OF_FIRST:
	case KEY_OF_PAGE_UP:
		menu->chosen = 0;
		return true;
	case KEY_OF_LAST:
	case KEY_OF_PAGE_DOWN:
		menu->chosen = menu->nr - 1;
		return true;
	default:
		return false;
	}
}

/* The place of a menu on a grid. */
struct box {
	size_t line;
	size_t column;
	size_t width;
	size_t lines;
};

static struct box place(const struct menu *menu, const struct grid *grid)
{
	size_t most = grid->columns > FRAME ? grid->columns - FRAME : 0, i;
	struct box box = { .width = text_width(menu->title) + 2, .lines = menu->nr };

	for (i = 0; i < menu->nr; i++) {
		size_t width = text_width(menu->lines[i].text);

		if (width > box.width)
			box.width = width;
	}
	if (box.width > most)
		box.width = most;
	/* The first and the last line of the screen stay visible, and the frame has two lines. */
	if (box.lines + 4 > grid->lines)
		box.lines = grid->lines > 4 ? grid->lines - 4 : 0;
	box.line = (grid->lines - box.lines) / 2;
	box.column = (grid->columns - box.width) / 2;
	return box;
}

static void draw_edge(const struct box *box, struct grid *grid, size_t line)
{
	size_t i;

	for (i = 0; i < box->width + 2; i++)
		grid_put(grid, line, box->column - 1 + i, 1, STYLE_BOX, "-");
	grid_put(grid, line, box->column - 2, 1, STYLE_BOX, "+");
	grid_put(grid, line, box->column + box->width + 1, 1, STYLE_BOX, "+");
}

void menu_draw(struct menu *menu, struct grid *grid)
{
	struct box box = place(menu, grid);
	size_t i;

	if (!box.lines || box.column < 2)
		return;
	if (menu->chosen < menu->top)
		menu->top = menu->chosen;
	if (menu->chosen >= menu->top + box.lines)
		menu->top = menu->chosen - box.lines + 1;
	draw_edge(&box, grid, box.line - 1);
	grid_put(grid, box.line - 1, box.column, box.width, STYLE_BOX, menu->title);
	for (i = 0; i < box.lines; i++) {
		size_t line = box.line + i;
		bool chosen = menu->top + i == menu->chosen;
		char *text = shorten_text(menu->lines[menu->top + i].text, box.width);

		grid_put(grid, line, box.column - 2, box.width + FRAME, STYLE_BOX, "| ");
		for (size_t at = 0; at < box.width; at++)
			grid_put(grid, line, box.column + at, 1, STYLE_BOX, " ");
		grid_put(grid, line, box.column, box.width, STYLE_BOX, text);
		grid_put(grid, line, box.column + box.width, 2, STYLE_BOX, " |");
		if (chosen)
			grid_style(grid, line, box.column - 1, box.width + 2, STYLE_BOX_CHOSEN);
		free(text);
	}
	draw_edge(&box, grid, box.line + box.lines);
}

bool menu_choose_at(struct menu *menu, const struct grid *grid, size_t line)
{
	struct box box = place(menu, grid);

	if (line < box.line || line >= box.line + box.lines)
		return false;
	menu->chosen = menu->top + line - box.line;
	return true;
}

void menu_free(struct menu *menu)
{
	size_t i;

	for (i = 0; i < menu->nr; i++)
		free(menu->lines[i].text);
	free(menu->lines);
	*menu = (struct menu){ 0 };
}
