// SPDX-License-Identifier: GPL-2.0
/*
 * Draws an annotated function:
 *
 *	sum of sum: 1621 samples of 'cpu-clock:u', 98.20%
 *	Percent  Address      Instruction
 *	                      sum.c:12  for (i = 0; i < n; i++)
 *	   0.06     1168: *.-> leaq   (%rcx, %rsi), %rax
 *	  38.31     1181: *|   shrq   $1, %rdx
 *	   0.00     118a: *'-- jne    1168 <sum+0x18>
 *	 ?: help  q: back  H: next hot  s: source  j: jumps  /: search                   12 of 40
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "code_view.h"

/* The last line without a message. */
#define KEYS "?: help  q: back  H: next hot  s: source  j: jumps  /: search"

/* The columns of the screen. */
struct layout {
	size_t number;		/* width of a column of an event */
	size_t branches;	/* width of all columns of branches */
	size_t address;		/* end of the address, where its colon is */
};

static void make_layout(struct layout *l, const struct code_view *view)
{
	const struct listing *listing = &view->listing;
	int digits = snprintf(NULL, 0, "%" PRIx64, listing->code[listing->nr - 1].addr);

	l->number = view->style->column == CODE_PERIOD ? 13 : 8;
	l->branches = 8 * view->has_runs + 15 * view->has_branches + 8 * view->has_cycles;
	l->address = l->number * listing->nr_events + l->branches + 2 + digits;
}

static char *number_of(const struct code_view *view, const struct share *share, size_t event)
{
	const char *unused = "";

	if (!share->nr && !share->period)
		return xstrdup(unused);
	if (view->style->column == CODE_SAMPLES)
		return xasprintf("%" PRIu64, share->nr);
	if (view->style->column == CODE_PERIOD)
		return xasprintf("%" PRIu64, share->period);
	return xasprintf("%.2f", listing_percent(&view->listing, share, event, view->style->type));
}

static enum cell_style style_of(double percent)
{
	if (percent >= 5)
		return STYLE_HOT;
	return percent >= 0.5 ? STYLE_WARM : STYLE_PLAIN;
}

static void put_right(struct grid *grid, size_t line, size_t end, enum cell_style style,
		      const char *text)
{
	size_t width = text_width(text);

	grid_put(grid, line, end > width ? end - width : 0, width, style, text);
}

static char *branches_of(const struct code_view *view, const struct code_line *code)
{
	char *runs, *taken, *cycles, *text;

	runs = view->has_runs ? xasprintf(code->runs ? "%8" PRIu64 : "%8.0" PRIu64, code->runs) :
				xstrdup("");
	if (view->has_branches && code->taken)
		taken = xasprintf("%8" PRIu64 "%6.1f%%", code->taken,
				  100.0 * code->missed / code->taken);
	else
		taken = xasprintf("%*s", view->has_branches ? 15 : 0, "");
	if (view->has_cycles && code->timed)
		cycles = xasprintf("%8.1f", (double)code->cycles / code->timed);
	else
		cycles = xasprintf("%*s", view->has_cycles ? 8 : 0, "");
	text = xasprintf("%s%s%s", runs, taken, cycles);
	free(runs);
	free(taken);
	free(cycles);
	return text;
}

static void draw_numbers(const struct code_view *view, const struct layout *l, struct grid *grid,
			 size_t line, uint32_t index)
{
	const struct listing *listing = &view->listing;
	const struct share *share;
	size_t event;
	char *text;

	for (event = 0; event < listing->nr_events; event++) {
		share = &listing->shares[index * listing->nr_events + event];
		text = number_of(view, share, event);
		put_right(grid, line, (event + 1) * l->number - 1,
			  style_of(listing_percent(listing, share, event, view->style->type)),
			  text);
		free(text);
	}
	if (!l->branches)
		return;
	text = branches_of(view, &listing->code[index]);
	grid_put(grid, line, listing->nr_events * l->number, l->branches, STYLE_PLAIN, text);
	free(text);
}

/* Draw the jumps at an instruction, or above it. Return: the column after the jumps. */
static size_t draw_jumps(const struct code_view *view, const struct layout *l, struct grid *grid,
			 size_t line, uint32_t index, bool above)
{
	const struct listing *listing = &view->listing;
	size_t column = l->address + 2;
	char *drawn;

	if (view->style->no_jumps)
		return column;
	if (!above && listing->code[index].hot)
		grid_put(grid, line, column, 1, STYLE_HOT, "*");
	drawn = jumps_draw(&listing->jumps, listing->code, index, above, !terminal_has_utf8());
	column += 1 + grid_put(grid, line, column + 1, SIZE_MAX, STYLE_PLAIN, drawn) + 1;
	free(drawn);
	return column;
}

static void draw_line(const struct code_view *view, const struct layout *l, struct grid *grid,
		      size_t line, size_t i)
{
	const struct listing_line *shown = &view->listing.lines[view->shown[i]];
	bool is_code = shown->kind == LINE_CODE;
	char *text = code_view_text(view, i), *rest = text, *fitting;
	size_t column;

	if (is_code) {
		draw_numbers(view, l, grid, line, shown->code);
		rest = strchr(text, ':') + 1;
		*rest++ = '\0';
		put_right(grid, line, l->address + 1, STYLE_PLAIN, text);
	}
	column = draw_jumps(view, l, grid, line, shown->code, !is_code);
	if (column < grid->columns) {
		fitting = shorten_text(rest, grid->columns - column);
		grid_put(grid, line, column, SIZE_MAX, is_code ? STYLE_PLAIN : STYLE_FAINT,
			 fitting);
		free(fitting);
	}
	free(text);
	if (i == view->cursor)
		grid_style(grid, line, 0, SIZE_MAX, STYLE_CHOSEN);
}

static void draw_titles(const struct code_view *view, const struct layout *l, struct grid *grid)
{
	static const char * const columns[] = { "Percent", "Samples", "Period" };
	char *branches = xasprintf("%s%s%s", view->has_runs ? "    Runs" : "",
				   view->has_branches ? "   Taken  Miss%" : "",
				   view->has_cycles ? "  Cycles" : "");
	char *title = shorten_text(view->title, grid->columns > 2 ? grid->columns - 2 : 0);
	size_t event;

	grid_put(grid, 0, 1, SIZE_MAX, STYLE_TITLE, title);
	grid_style(grid, 0, 0, SIZE_MAX, STYLE_TITLE);
	for (event = 0; event < view->listing.nr_events; event++)
		put_right(grid, 1, (event + 1) * l->number - 1, STYLE_TITLE,
			  columns[view->style->column]);
	grid_put(grid, 1, view->listing.nr_events * l->number, SIZE_MAX, STYLE_TITLE, branches);
	grid_put(grid, 1, l->address + 2, SIZE_MAX, STYLE_TITLE, "Instruction");
	grid_style(grid, 1, 0, SIZE_MAX, STYLE_TITLE);
	free(title);
	free(branches);
}

static void draw_status(const struct code_view *view, struct grid *grid)
{
	char *position = xasprintf("%zu of %" PRIu32, view->cursor + 1, view->nr), *text, *fitting;
	size_t line = grid->lines - 1, width = text_width(position);

	if (view->typing)
		text = xasprintf("Go to: %s_%s%s", view->prompt, view->message ? "   " : "",
				 view->message ?: "");
	else
		text = xstrdup(view->message ?: KEYS);
	if (grid->columns > width + 3) {
		fitting = shorten_text(text, grid->columns - width - 3);
		grid_put(grid, line, 1, SIZE_MAX, STYLE_TITLE, fitting);
		grid_put(grid, line, grid->columns - 1 - width, width, STYLE_TITLE, position);
		free(fitting);
	}
	grid_style(grid, line, 0, SIZE_MAX, STYLE_TITLE);
	free(position);
	free(text);
}

/* Scroll so that the cursor is on the screen. */
static void scroll(struct code_view *view, size_t page)
{
	bool first = !view->page;

	view->page = page;
	if (first)
		view->top = view->cursor > page / 2 ? view->cursor - page / 2 : 0;
	if (view->cursor < view->top)
		view->top = view->cursor;
	if (view->cursor >= view->top + page)
		view->top = view->cursor - page + 1;
	if (view->nr < view->top + page)
		view->top = view->nr > page ? view->nr - page : 0;
}

void code_view_draw(struct code_view *view, struct grid *grid)
{
	struct layout l;
	size_t i;

	if (view->helping) {
		text_view_draw(&view->help, grid);
		return;
	}
	make_layout(&l, view);
	scroll(view, grid->lines > 3 ? grid->lines - 3 : 1);
	draw_titles(view, &l, grid);
	for (i = 0; i < view->page && view->top + i < view->nr; i++)
		draw_line(view, &l, grid, 2 + i, view->top + i);
	draw_status(view, grid);
}
