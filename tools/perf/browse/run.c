// SPDX-License-Identifier: GPL-2.0
/* The browsers on a terminal. */
#include "run.h"

static void draw_tables(void *context, struct grid *grid)
{
	browser_draw(context, grid);
}

static void key_of_tables(void *context, uint32_t key)
{
	browser_key(context, key);
}

static void click_tables(void *context, const struct grid *grid, size_t line)
{
	browser_click(context, grid, line);
}

static bool tables_are_over(void *context)
{
	return ((struct browser *)context)->quit;
}

struct screen_page browser_page(struct browser *b)
{
	return (struct screen_page){
		.context = b, .draw = draw_tables, .key = key_of_tables, .click = click_tables,
		.is_over = tables_are_over,
	};
}

int browse(const struct browse_input *input)
{
	struct screen_page page;
	struct browser b;
	int status = 1;

	browser_init(&b, input);
	if (screen_open()) {
		b.working = screen_say_working;
		page = browser_page(&b);
		status = screen_run(&page);
		screen_close();
	}
	browser_free(&b);
	return status;
}

static void draw_code(void *context, struct grid *grid)
{
	code_browser_draw(context, grid);
}

static void key_of_code(void *context, uint32_t key)
{
	code_browser_key(context, key);
}

static void click_code(void *context, const struct grid *grid, size_t line)
{
	struct code_browser *b = context;

	(void)grid;
	if (!b->missing)
		code_view_click(&b->view, line);
}

static bool code_is_over(void *context)
{
	return ((struct code_browser *)context)->quit;
}

int browse_code(const struct code_input *input)
{
	struct code_browser b;
	const struct screen_page page = {
		.context = &b, .draw = draw_code, .key = key_of_code, .click = click_code,
		.is_over = code_is_over,
	};
	int status = 1;

	code_browser_init(&b, input);
	if (screen_open()) {
		status = screen_run(&page);
		screen_close();
	}
	code_browser_free(&b);
	return status;
}
