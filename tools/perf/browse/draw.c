// SPDX-License-Identifier: GPL-2.0
/*
 * Draws the browser:
 *
 *	Samples: 12K of event 'cycles' (1 of 2)                        perf.data
 *	Only: comm bash > in or below main   Rows with: read
 *	  Overhead            Command  Shared Object  Symbol
 *	+   60.00%  ######    bash     bash           [.] read_token
 *	-   40.00%  ####      bash     libc.so.6      [.] malloc
 *	      - 30.00% xmalloc
 *	          main
 *	 ?: help  q: quit  Enter: annotate  m: menu                         1 of 2
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "browser.h"

/* Terminals with fewer columns get no bars. */
#define BAR_TERMINAL 60

/* Columns of the mark in front of a row. */
#define MARK_WIDTH 2

/* The columns of a table on the screen. */
struct layout {
	size_t widths[REPORT_COLUMNS_MAX];
	size_t numbers;		/* the first columns, which are numbers */
	size_t bar;		/* columns of the bar; 0: none */
	size_t names;		/* start of the first name */
};

static void make_layout(struct layout *l, const struct report_table *t, size_t columns)
{
	size_t i, used = MARK_WIDTH;

	*l = (struct layout){ 0 };
	for (i = 0; i < t->nr_columns; i++)
		l->widths[i] = t->columns[i].width;
	while (l->numbers < t->nr_columns && !t->columns[l->numbers].key)
		used += l->widths[l->numbers++] + 1;
	if (columns >= BAR_TERMINAL && report_has_overhead(t->style)) {
		l->bar = columns / 12 < 20 ? columns / 12 : 20;
		used += l->bar + 1;
	}
	l->names = used + 1;
	used += 2 * (t->nr_columns - l->numbers);
	report_fit_widths(l->widths + l->numbers, t->nr_columns - l->numbers,
			  columns > used ? columns - used : 0);
}

static enum cell_style style_of_percent(double percent)
{
	if (percent >= 5)
		return STYLE_HOT;
	return percent >= 0.5 ? STYLE_WARM : STYLE_PLAIN;
}

/* Write a text that is shortened in the middle, if it is too long. */
static void put_name(struct grid *grid, size_t line, size_t column, size_t width,
		     enum cell_style style, const char *text)
{
	char *name = shorten_text(text, width);

	grid_put(grid, line, column, width, style, name);
	free(name);
}

static void put_right(struct grid *grid, size_t line, size_t end, size_t width,
		      enum cell_style style, const char *text)
{
	size_t taken = text_width(text);

	text += strspn(text, " ");
	if (taken > width)
		taken = width;
	taken = text_width(text) < taken ? text_width(text) : taken;
	grid_put(grid, line, end - taken, taken, style, text);
}

/* Return the restrictions of the view as text; NULL if there are none. */
static char *where(const struct browse_model *m)
{
	char *text;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die("out of memory");
	for (i = 0; i < m->now.view.nr_zooms; i++)
		fprintf(out, "%s%s", i ? " > " : "Only: ", m->now.view.zooms[i].text);
	if (*m->now.filter)
		fprintf(out, "%sRows with: %s", i ? "   " : "", m->now.filter);
	if (m->list.nr_hidden)
		fprintf(out, "%s%zu hidden (H: show)", ftell(out) ? "   " : "", m->list.nr_hidden);
	if (m->relative)
		fprintf(out, "%sPercentages of these samples", ftell(out) ? "   " : "");
	fclose(out);
	if (size)
		return text;
	free(text);
	return NULL;
}

static void draw_title(const struct browse_model *m, struct grid *grid)
{
	size_t size, room = grid->columns > 2 ? grid->columns - 2 : 0, taken;
	char *text, *state;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die("out of memory");
	fputs("Samples: ", out);
	report_count(out, m->hist.nr_samples);
	fprintf(out, " of event '%s'", model_event(m)->name);
	if (m->input->nr_events > 1)
		fprintf(out, " (%zu of %zu)", m->now.view.event + 1, m->input->nr_events);
	if (m->input->lost)
		fprintf(out, ", lost: %" PRIu64, m->input->lost);
	if (m->input->live) {
		state = m->input->live->state(m->input->live->context);
		fprintf(out, ", %s", state);
		free(state);
	}
	fclose(out);
	put_name(grid, 0, 1, room, STYLE_TITLE, text);
	taken = text_width(text) + 2;
	if (taken + 8 < room) {
		free(text);
		text = escape_name(m->input->path);
		put_name(grid, 0, taken + 1, room - taken, STYLE_TITLE, "");
		taken = room - taken;
		if (text_width(text) <= taken)
			grid_put(grid, 0, room + 1 - text_width(text), taken, STYLE_TITLE, text);
	}
	free(text);
	grid_style(grid, 0, 0, SIZE_MAX, STYLE_TITLE);
}

static void draw_titles(const struct report_table *t, const struct layout *l, struct grid *grid,
			size_t line)
{
	size_t i, column = MARK_WIDTH;

	for (i = 0; i < t->nr_columns; i++) {
		const char *header = t->columns[i].header;

		if (i == l->numbers)
			column = l->names;
		if (i < l->numbers)
			put_right(grid, line, column + l->widths[i], l->widths[i], STYLE_TITLE,
				  header);
		else
			put_name(grid, line, column, l->widths[i], STYLE_TITLE,
				 header + strspn(header, " "));
		column += l->widths[i] + (i < l->numbers ? 1 : 2);
	}
	grid_style(grid, line, 0, SIZE_MAX, STYLE_TITLE);
}

static void draw_bar(struct grid *grid, size_t line, size_t column, size_t width, double percent,
		     enum cell_style style)
{
	size_t filled = percent * width / 100 + 0.5, i;

	for (i = 0; i < filled && i < width; i++)
		grid_put(grid, line, column + i, 1, style, "#");
}

static const char *mark_of(const struct browse_model *m, const struct browse_row *row)
{
	if (!row_has_below(&m->list, row))
		return " ";
	return row_is_open(&m->list, row) ? "-" : "+";
}

static void draw_entry(const struct browse_model *m, const struct layout *l, struct grid *grid,
		       size_t line, const struct browse_row *row)
{
	const struct report_row *entry = &m->table.rows[row->entry];
	uint64_t period = m->hist.children ? entry->entry->total : entry->entry->self;
	double percent = report_percent(&m->hist, period);
	enum cell_style style = style_of_percent(percent);
	size_t i, column = MARK_WIDTH;

	grid_put(grid, line, 0, 1, STYLE_PLAIN, mark_of(m, row));
	for (i = 0; i < m->table.nr_columns; i++) {
		if (i == l->numbers) {
			if (l->bar)
				draw_bar(grid, line, column, l->bar, percent, style);
			column = l->names;
		}
		if (i < l->numbers)
			put_right(grid, line, column + l->widths[i], l->widths[i], style,
				  entry->texts[i]);
		else
			put_name(grid, line, column, l->widths[i], STYLE_PLAIN, entry->texts[i]);
		column += l->widths[i] + (i < l->numbers ? 1 : 2);
	}
}

static void draw_branch(const struct browse_model *m, struct grid *grid, size_t line,
			const struct browse_row *row)
{
	size_t column = 4 + 2 * row->fold->depth, most = grid->columns / 2;
	bool first = row->node == row->fold->first;
	char *label = row_label(&m->list, row);
	enum cell_style style = STYLE_FAINT;

	if (column > most)
		column = most;
	if (first) {
		grid_put(grid, line, column, 1, STYLE_PLAIN, mark_of(m, row));
		style = STYLE_PLAIN;
	} else {
		column += 2;
	}
	column += 2;
	if (column < grid->columns)
		put_name(grid, line, column, grid->columns - column, style, label);
	free(label);
}

static void draw_rows(const struct browse_model *m, struct grid *grid, size_t first_line,
		      const struct layout *l)
{
	size_t i;

	for (i = 0; i < m->page && m->now.top + i < m->list.nr; i++) {
		const struct browse_row *row = &m->list.rows[m->now.top + i];

		if (row->fold)
			draw_branch(m, grid, first_line + i, row);
		else
			draw_entry(m, l, grid, first_line + i, row);
		if (m->now.top + i == m->now.cursor)
			grid_style(grid, first_line + i, 0, SIZE_MAX, STYLE_CHOSEN);
	}
	if (!m->list.nr)
		grid_put(grid, first_line, MARK_WIDTH, SIZE_MAX, STYLE_PLAIN,
			 *m->now.filter ? "no row has this text; Escape shows all rows" :
			 m->input->live ? "there are no samples yet" : "there are no rows here");
}

/* Return the text of the last line; the caller frees it. */
static char *status_of(const struct browser *b)
{
	static const char * const prompts[] = {
		[PURPOSE_FILTER] = "Rows with: ", [PURPOSE_SEARCH] = "Go to: ",
		[PURPOSE_SORT] = "Sort by: ", [PURPOSE_SAVE] = "Write to file: ",
	};

	if (b->mode == MODE_ASK)
		return xasprintf("%s exists. Replace it? (y/n)", b->prompt);
	if (b->mode == MODE_PROMPT)
		return xasprintf("%s%s_%s%s", prompts[b->purpose], b->prompt,
				 b->message ? "   " : "", b->message ?: "");
	if (b->message)
		return xstrdup(b->message);
	return xstrdup("?: help  q: quit  Enter: annotate  m: menu  s: sort  /: filter");
}

static void draw_status(const struct browser *b, struct grid *grid)
{
	const struct browse_model *m = &b->model;
	char *position = xasprintf("%zu of %zu", m->list.nr ? m->now.cursor + 1 : 0, m->list.nr);
	size_t line = grid->lines - 1, width = text_width(position);
	char *text = status_of(b);

	if (grid->columns > width + 2) {
		put_name(grid, line, 1, grid->columns - width - 3, STYLE_TITLE, text);
		grid_put(grid, line, grid->columns - 1 - width, width, STYLE_TITLE, position);
	}
	grid_style(grid, line, 0, SIZE_MAX, STYLE_TITLE);
	free(text);
	free(position);
}

static void draw_all_rows(struct browser *b, struct grid *grid)
{
	struct browse_model *m = &b->model;
	char *part = where(m);
	struct layout l;

	b->header = part ? 3 : 2;
	model_set_page(m, grid->lines > b->header + 1 ? grid->lines - b->header - 1 : 1);
	make_layout(&l, &m->table, grid->columns);
	draw_title(m, grid);
	if (part)
		put_name(grid, 1, 1, grid->columns - 1, STYLE_PLAIN, part);
	draw_titles(&m->table, &l, grid, b->header - 1);
	draw_rows(m, grid, b->header, &l);
	draw_status(b, grid);
	free(part);
}

void browser_draw(struct browser *b, struct grid *grid)
{
	if (b->mode == MODE_TEXT) {
		text_view_draw(&b->text, grid);
		return;
	}
	if (b->mode == MODE_CODE) {
		code_view_draw(&b->code, grid);
		return;
	}
	draw_all_rows(b, grid);
	if (b->mode == MODE_MENU)
		menu_draw(&b->menu, grid);
}
