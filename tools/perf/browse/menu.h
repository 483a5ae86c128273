/* SPDX-License-Identifier: GPL-2.0 */
/* A menu: lines, from which the user chooses one. */
#ifndef PERF_BROWSE_MENU_H
#define PERF_BROWSE_MENU_H

#include "grid.h"
#include "keys.h"

/**
 * struct menu_line - a line of a menu
 * @text: text
 * @action: number of the line's action
 * @argument: argument of the action
 */
struct menu_line {
	char *text;
	int action;
	size_t argument;
};

/**
 * struct menu - lines, one of which is chosen; all zeros: no lines
 * @title: title
 * @lines: lines
 * @nr: number of @lines
 * @chosen: index of the chosen line
 * @top: index of the first line on the screen
 */
struct menu {
	const char *title;
	struct menu_line *lines;
	size_t nr;
	size_t chosen;
	size_t top;
};

/* Add a line. The menu frees @text. */
void menu_add(struct menu *menu, char *text, int action, size_t argument);

/* Move the choice by a key. Return false if the key does not move it. */
bool menu_key(struct menu *menu, uint32_t key);

/* Draw the menu over the middle of a grid. */
void menu_draw(struct menu *menu, struct grid *grid);

/* Return true if a line of the menu is at a place of the grid, and choose it. */
bool menu_choose_at(struct menu *menu, const struct grid *grid, size_t line);

void menu_free(struct menu *menu);

#endif
