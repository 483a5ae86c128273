// SPDX-License-Identifier: GPL-2.0
/*
 * Comparisons of recordings as tables.
 *
 *	two recordings or more		Baseline  a value for each recording	keys
 *	several of each side		Baseline  New  value  margin		keys
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff_print.h"

/**
 * struct line - a row that is shown
 * @row: row
 * @values: comparison of each recording with the baseline; NULL with several of each side
 * @noise: comparison of the sides
 * @texts: text of each column
 */
struct line {
	const struct diff_row *row;
	struct diff_value *values;
	struct diff_noise noise;
	char **texts;
};

/* A column: right-aligned if it has numbers. */
struct column {
	char *title;
	bool numbers;
	size_t width;
};

struct diff_view {
	const struct diff_style *style;
	const struct diff_table *table;
	struct column *columns;
	size_t nr_columns;
	struct line *lines;
	size_t nr;
	size_t nr_noise;
};

static void add_column(struct diff_view *view, bool numbers, size_t width, char *title)
{
	view->columns = xreallocarray(view->columns, view->nr_columns + 1, sizeof(*view->columns));
	if (width < strlen(title))
		width = strlen(title);
	view->columns[view->nr_columns++] = (struct column){ title, numbers, width };
}

static const struct {
	const char *title;
	size_t width;
} methods[] = {
	[DIFF_DELTA] = { "Delta", 7 },
	[DIFF_DELTA_ABS] = { "Delta Abs", 7 },
	[DIFF_RATIO] = { "Ratio", 14 },
	[DIFF_WEIGHTED] = { "Weighted diff", 14 },
};

static void add_pair_columns(struct diff_view *view)
{
	const enum diff_method method = view->style->options.method;
	size_t i, nr = view->table->nr_recordings;
	char number[24] = "";

	add_column(view, true, 8, xasprintf("Baseline%s", nr > 2 ? "/0" : ""));
	if (view->style->with_periods)
		add_column(view, true, 14, xstrdup("Base period"));
	for (i = 1; i < nr; i++) {
		if (nr > 2)
			snprintf(number, sizeof(number), "/%zu", i);
		add_column(view, true, methods[method].width,
			   xasprintf("%s%s", methods[method].title, number));
		if (view->style->with_periods)
			add_column(view, true, 14, xasprintf("Period%s", number));
		if (view->style->with_formula)
			add_column(view, true, 0, xasprintf("Formula%s", number));
	}
}

static void add_noise_columns(struct diff_view *view)
{
	const enum diff_method method = view->style->options.method;

	add_column(view, true, 8, xstrdup("Baseline"));
	add_column(view, true, 8, xstrdup("New"));
	add_column(view, true, methods[method].width, xstrdup(methods[method].title));
	add_column(view, true, 7, xstrdup(method == DIFF_RATIO ? "*/" : "+-"));
}

static void add_columns(struct diff_view *view)
{
	size_t i;

	if (view->style->nr_base)
		add_noise_columns(view);
	else
		add_pair_columns(view);
	for (i = 0; i < view->table->keys->nr; i++)
		add_column(view, false, 0, xstrdup(view->table->keys->keys[i]->header));
}

/* Return a number with a sign, or with a percent sign where columns are padded. */
static char *percent_text(const struct diff_view *view, double percent)
{
	return xasprintf("%.2f%s", percent, view->style->separator ? "" : "%");
}

static char *value_text(const struct diff_view *view, double value)
{
	switch (view->style->options.method) {
	case DIFF_RATIO:
		return xasprintf("%.6f", value);
	case DIFF_WEIGHTED:
		return xasprintf("%.0f", value);
	default:
		return xasprintf("%+.2f%%", value);
	}
}

static char *formula_text(const struct diff_view *view, const struct diff_row *row, size_t i)
{
	const struct diff_options *options = &view->style->options;
	uint64_t base = row->cells[0].period, other = row->cells[i].period;

	switch (options->method) {
	case DIFF_RATIO:
		return xasprintf("%" PRIu64 " / %" PRIu64, other, base);
	case DIFF_WEIGHTED:
		return xasprintf("(%" PRIu64 " * %ld) - (%" PRIu64 " * %ld)", other,
				 options->new_weight, base, options->base_weight);
	default:
		return xasprintf("(%" PRIu64 " * 100 / %" PRIu64 ") - (%" PRIu64 " * 100 / %" PRIu64
				 ")", other, view->table->totals[i], base,
				 view->table->totals[0]);
	}
}

/* Write the columns of numbers. Return: the place after the last text. */
static char **write_pair(const struct diff_view *view, const struct line *line, char **text)
{
	const struct diff_cell *cells = line->row->cells;
	size_t i;

	*text++ = cells[0].nr ? percent_text(view, diff_percent(view->table, line->row, 0)) :
				xstrdup("");
	if (view->style->with_periods)
		*text++ = xasprintf("%" PRIu64, cells[0].period);
	for (i = 1; i < view->table->nr_recordings; i++) {
		const struct diff_value *value = &line->values[i];

		*text++ = value->known ? value_text(view, value->value) :
			  xstrdup(value->present ? "N/A" : "");
		if (view->style->with_periods)
			*text++ = value->present ? xasprintf("%" PRIu64, cells[i].period) :
						   xstrdup("");
		if (view->style->with_formula)
			*text++ = value->present ? formula_text(view, line->row, i) : xstrdup("");
	}
	return text;
}

static char **write_noise(const struct diff_view *view, const struct line *line, char **text)
{
	const struct diff_noise *noise = &line->noise;
	const enum diff_method method = view->style->options.method;
	const bool shares = method == DIFF_DELTA || method == DIFF_DELTA_ABS;

	*text++ = shares ? percent_text(view, noise->base) : xasprintf("%.0f", noise->base);
	*text++ = shares ? percent_text(view, noise->other) : xasprintf("%.0f", noise->other);
	*text++ = noise->known ? value_text(view, noise->value) : xstrdup("N/A");
	if (!noise->known)
		*text++ = xstrdup("");
	else if (method == DIFF_RATIO)
		*text++ = xasprintf("%.6f", noise->margin);
	else if (method == DIFF_WEIGHTED)
		*text++ = xasprintf("%.0f", noise->margin);
	else
		*text++ = xasprintf("%.2f%%", noise->margin);
	return text;
}

static void write_line(struct diff_view *view, struct line *line)
{
	char **text;
	size_t i;

	line->texts = xcalloc(view->nr_columns, sizeof(*line->texts));
	text = view->style->nr_base ? write_noise(view, line, line->texts) :
				      write_pair(view, line, line->texts);
	for (i = 0; i < view->table->keys->nr; i++)
		*text++ = xstrdup(line->row->texts[i]);
	for (i = 0; i < view->nr_columns; i++) {
		if (strlen(line->texts[i]) > view->columns[i].width)
			view->columns[i].width = strlen(line->texts[i]);
	}
}

/*
 * Return true if the row's share is large enough in at least one recording. If only rows of the
 * baseline are wanted, the row must have samples in every recording.
 */
static bool is_wanted(const struct diff_view *view, const struct diff_row *row)
{
	double largest = 0;
	bool everywhere = true;
	size_t i;

	for (i = 0; i < view->table->nr_recordings; i++) {
		largest = fmax(largest, diff_percent(view->table, row, i));
		everywhere &= !!row->cells[i].nr;
	}
	return largest >= view->style->min_percent &&
	       (everywhere || !view->style->baseline_only);
}

/* Return true if a row without a value is on one side alone, in each of its recordings. */
static bool is_one_sided(const struct diff_view *view, const struct diff_row *row)
{
	size_t i, on[2] = { 0 }, nr_base = view->style->nr_base;

	for (i = 0; i < view->table->nr_recordings; i++)
		on[i >= nr_base] += !!row->cells[i].nr;
	return (on[0] == nr_base && !on[1]) ||
	       (!on[0] && on[1] == view->table->nr_recordings - nr_base);
}

static void add_line(struct diff_view *view, const struct diff_row *row)
{
	const struct diff_style *style = view->style;
	struct line line = { .row = row };
	size_t i;

	if (style->nr_base) {
		line.noise = diff_noise(view->table, &style->options, row, style->nr_base,
					style->confidence);
		if (!line.noise.known)
			line.noise.significant = is_one_sided(view, row);
		if (!line.noise.significant) {
			view->nr_noise++;
			if (!style->all)
				return;
		}
	} else {
		line.values = xcalloc(view->table->nr_recordings, sizeof(*line.values));
		for (i = 1; i < view->table->nr_recordings; i++)
			line.values[i] = diff_compare(view->table, &style->options, row, i);
	}
	view->lines[view->nr++] = line;
}

static const struct diff_view *sorting;

/* Return 0 for a row with a value, 1 for one without, 2 for one that is only in the baseline. */
static int class_of(const struct line *line)
{
	const struct diff_value *value;

	if (sorting->style->nr_base)
		return !line->noise.known;
	value = &line->values[sorting->style->order];
	return value->known ? 0 : value->present ? 1 : 2;
}

/* Return the number that orders rows of one class, the largest first. */
static double rank_of(const struct line *line)
{
	const enum diff_method method = sorting->style->options.method;
	const size_t order = sorting->style->order;
	double value;

	if (!sorting->style->nr_base && (!order || class_of(line)))
		return diff_percent(sorting->table, line->row, 0);
	value = sorting->style->nr_base ? line->noise.value : line->values[order].value;
	return method == DIFF_DELTA_ABS ? fabs(value) : value;
}

static int compare(const void *x, const void *y)
{
	const struct line *a = x, *b = y;
	double rank_a = rank_of(a), rank_b = rank_of(b);
	int order = sorting->style->nr_base || sorting->style->order ?
		    class_of(a) - class_of(b) : 0;
	size_t i;

	if (order)
		return order;
	if (rank_a != rank_b)
		return rank_a > rank_b ? -1 : 1;
	for (i = 0; i < sorting->table->keys->nr; i++) {
		order = strcmp(a->row->texts[i], b->row->texts[i]);
		if (order)
			return order;
	}
	return 0;
}

static void print_texts(FILE *out, const struct diff_view *view, char *const *texts)
{
	const char separator = view->style->separator;
	size_t i;

	for (i = 0; i < view->nr_columns; i++) {
		const struct column *column = &view->columns[i];
		int width = separator || (!column->numbers && i + 1 == view->nr_columns) ? 0 :
			    (int)column->width;

		if (i && separator)
			fputc(separator, out);
		else if (i)
			fputs("  ", out);
		fprintf(out, "%*s", column->numbers ? width : -width, texts[i]);
	}
	fputc('\n', out);
}

static void print_titles(FILE *out, const struct diff_view *view)
{
	char **titles = xcalloc(view->nr_columns, sizeof(*titles));
	size_t i, dots;

	for (i = 0; i < view->nr_columns; i++)
		titles[i] = view->columns[i].title;
	fputs("# ", out);
	print_texts(out, view, titles);
	free(titles);
	if (view->style->separator)
		return;
	fputs("# ", out);
	for (i = 0; i < view->nr_columns; i++) {
		fputs(i ? "  " : "", out);
		for (dots = 0; dots < view->columns[i].width; dots++)
			fputc('.', out);
	}
	fputs("\n#\n", out);
}

/* Return true if the value is an increase above the limit. */
static bool is_above(const struct diff_style *style, double value)
{
	if (style->options.method == DIFF_RATIO)
		return value > 1 + style->limit / 100;
	return value > style->limit;
}

/*
 * Return true if some recording has an increase above the limit. If the noise is known, the
 * increase must also be beyond the noise.
 */
static bool line_is_above(const struct diff_view *view, const struct line *line)
{
	size_t i;

	if (view->style->nr_base)
		return line->noise.known && line->noise.significant &&
		       is_above(view->style, line->noise.value);
	for (i = 1; i < view->table->nr_recordings; i++) {
		if (line->values[i].known && is_above(view->style, line->values[i].value))
			return true;
	}
	return false;
}

static void free_view(struct diff_view *view)
{
	size_t i, column;

	for (i = 0; i < view->nr; i++) {
		for (column = 0; column < view->nr_columns; column++)
			free(view->lines[i].texts[column]);
		free(view->lines[i].texts);
		free(view->lines[i].values);
	}
	for (column = 0; column < view->nr_columns; column++)
		free(view->columns[column].title);
	free(view->lines);
	free(view->columns);
}

size_t report_diff(FILE *out, const struct diff_style *style, const struct diff_table *table)
{
	struct diff_view view = { .style = style, .table = table };
	struct hash_node **nodes = hash_table_nodes(&table->rows);
	size_t i, nr_above = 0;

	view.lines = xcalloc(table->rows.nr, sizeof(*view.lines));
	for (i = 0; i < table->rows.nr; i++) {
		const struct diff_row *row = hash_entry(nodes[i], struct diff_row, node);

		if (is_wanted(&view, row))
			add_line(&view, row);
	}
	free(nodes);
	sorting = &view;
	qsort(view.lines, view.nr, sizeof(*view.lines), compare);
	add_columns(&view);
	for (i = 0; i < view.nr; i++)
		write_line(&view, &view.lines[i]);
	if (!style->no_titles)
		print_titles(out, &view);
	for (i = 0; i < view.nr; i++) {
		fputs(style->separator ? "" : "  ", out);
		print_texts(out, &view, view.lines[i].texts);
		nr_above += line_is_above(&view, &view.lines[i]);
	}
	if (view.nr_noise && !style->all && !style->no_titles)
		fprintf(out, "# %zu row%s within noise; --all shows %s\n", view.nr_noise,
			view.nr_noise == 1 ? " is" : "s are", view.nr_noise == 1 ? "it" : "them");
	free_view(&view);
	return nr_above;
}
