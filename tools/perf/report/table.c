// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a table of a histogram: the texts of its rows, and the widths of its columns.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

static void add_column(struct report_table *t, const char *header, const struct sort_key *key)
{
	struct report_column *column = &t->columns[t->nr_columns++];

	column->header = header;
	column->key = key;
	column->width = strlen(header);
}

/* Add the column of a percentage, with a column of latency before or behind it, or only this. */
static void add_percentage(struct report_table *t, const char *header)
{
	bool latency = report_has_latency(t->style, t->hist);

	if (latency && t->style->latency_first)
		add_column(t, " Latency", NULL);
	if (report_has_overhead(t->style))
		add_column(t, header, NULL);
	if (latency && !t->style->latency_first)
		add_column(t, " Latency", NULL);
}

static void add_columns(struct report_table *t)
{
	const struct sort_keys *keys = t->hist->keys;
	size_t i;

	if (t->hist->children) {
		add_percentage(t, "Children");
		add_percentage(t, "    Self");
	} else {
		add_percentage(t, "Overhead");
	}
	if (t->style->with_counts)
		add_column(t, "     Samples", NULL);
	if (t->style->with_periods)
		add_column(t, "      Period", NULL);
	for (i = 0; i < keys->nr; i++) {
		if (!sort_keys_have(&t->style->hidden, keys->keys[i]->name))
			add_column(t, keys->keys[i]->header, keys->keys[i]);
	}
}

double report_percent(const struct hist *hist, uint64_t period)
{
	return hist->period ? 100.0 * period / hist->period : 0.0;
}

/* Add the texts of the columns of add_percentage(). Return: the number of texts of the row. */
static size_t fill_percentage(const struct report_table *t, struct report_row *row, size_t nr,
			      uint64_t period, struct latency part)
{
	char *latency = NULL;

	if (report_has_latency(t->style, t->hist))
		latency = xasprintf("%.2f%%", latency_percent(part, t->hist->latency));
	if (latency && t->style->latency_first)
		row->texts[nr++] = latency;
	if (report_has_overhead(t->style))
		row->texts[nr++] = xasprintf("%.2f%%", report_percent(t->hist, period));
	if (latency && !t->style->latency_first)
		row->texts[nr++] = latency;
	return nr;
}

static void fill_row(const struct report_table *t, struct report_row *row)
{
	const struct hist_entry *entry = row->entry;
	size_t i, nr = 0;

	if (t->hist->children)
		nr = fill_percentage(t, row, nr, entry->total, entry->total_latency);
	nr = fill_percentage(t, row, nr, entry->self, entry->self_latency);
	if (t->style->with_counts)
		row->texts[nr++] = xasprintf("%" PRIu64, entry->nr_self);
	if (t->style->with_periods)
		row->texts[nr++] = xasprintf("%" PRIu64, entry->self);
	for (i = nr; i < t->nr_columns; i++)
		row->texts[i] = sort_key_text(t->columns[i].key, &entry->point,
					      t->style->verbose);
}

bool report_shows_dso(const struct report_style *style, const struct dso *dso)
{
	if (!style->dsos)
		return true;
	if (!dso)
		return in_list(style->dsos, "[unknown]");
	return in_list(style->dsos, dso->name) || in_list(style->dsos, dso->long_name);
}

static bool is_shown(const struct report_table *t, const struct hist_entry *entry)
{
	uint64_t period = t->hist->children ? entry->total : entry->self;

	return report_percent(t->hist, period) >= t->style->min_percent &&
	       report_shows_dso(t->style, entry->point.at.dso);
}

static void add_rows(struct report_table *t)
{
	struct hist_entry **sorted = hist_sorted(t->hist);
	size_t i, column;

	t->rows = xcalloc(t->hist->entries.nr, sizeof(*t->rows));
	for (i = 0; i < t->hist->entries.nr; i++) {
		struct report_row *row = &t->rows[t->nr_rows];

		if (!is_shown(t, sorted[i]))
			continue;
		row->entry = sorted[i];
		fill_row(t, row);
		for (column = 0; column < t->nr_columns; column++) {
			size_t width = text_width(row->texts[column]);

			if (width > t->columns[column].width)
				t->columns[column].width = width;
		}
		t->nr_rows++;
	}
	free(sorted);
}

static void set_widths(struct report_table *t)
{
	size_t i;

	for (i = 0; i < t->nr_columns && i < t->style->nr_widths; i++) {
		t->columns[i].width = t->style->widths[i];
		t->columns[i].cut = CUT_END;
	}
}

/* The sum of widths if none is larger than @most. */
static size_t sum_of_widths(const size_t *widths, size_t nr, size_t most)
{
	size_t i, sum = 0;

	for (i = 0; i < nr; i++)
		sum += widths[i] < most ? widths[i] : most;
	return sum;
}

void report_fit_widths(size_t *widths, size_t nr, size_t room)
{
	size_t i, most = REPORT_NAME_MIN, all = sum_of_widths(widths, nr, SIZE_MAX), rest;

	if (all <= room)
		return;
	while (sum_of_widths(widths, nr, most + 1) <= room)
		most++;
	/* The columns that are shortened share what is left, one column of the terminal each. */
	rest = sum_of_widths(widths, nr, most);
	rest = rest < room ? room - rest : 0;
	for (i = 0; i < nr; i++) {
		if (widths[i] <= most)
			continue;
		widths[i] = most + !!rest;
		rest -= !!rest;
	}
}

/* Shorten the names where the table is wider than the terminal. */
static void fit_columns(struct report_table *t)
{
	size_t widths[REPORT_COLUMNS_MAX], i, numbers = 0, used = 2 * t->nr_columns;

	while (numbers < t->nr_columns && !t->columns[numbers].key)
		used += t->columns[numbers++].width;
	for (i = numbers; i < t->nr_columns; i++)
		widths[i] = t->columns[i].width;
	report_fit_widths(widths + numbers, t->nr_columns - numbers,
			  t->style->terminal > used ? t->style->terminal - used : 0);
	for (i = numbers; i < t->nr_columns; i++) {
		if (widths[i] == t->columns[i].width)
			continue;
		t->columns[i].width = widths[i];
		t->columns[i].cut = CUT_MIDDLE;
	}
}

void report_table_make(struct report_table *t, const struct report_style *style,
		       const struct hist *hist)
{
	*t = (struct report_table){ .style = style, .hist = hist };
	add_columns(t);
	add_rows(t);
	if (style->terminal && !style->nr_widths && !style->separator)
		fit_columns(t);
	set_widths(t);
}

/* Print a text, cut to the width of the column if that is limited. */
static void print_cut(FILE *out, const struct report_table *t, size_t column, const char *text)
{
	size_t left = t->columns[column].width;
	char *shortened;

	if (t->columns[column].cut == CUT_NOTHING) {
		fputs(text, out);
		return;
	}
	if (t->columns[column].cut == CUT_MIDDLE) {
		shortened = shorten_text(text, left);
		fputs(shortened, out);
		free(shortened);
		return;
	}
	for (; *text; text++) {
		if ((*text & 0xc0) != 0x80 && !left--)
			return;
		fputc(*text, out);
	}
}

void report_table_print_text(FILE *out, const struct report_table *t, size_t column,
			     const char *text)
{
	const struct report_column *c = &t->columns[column];
	char *shortened = c->cut == CUT_MIDDLE ? shorten_text(text, c->width) : NULL;
	size_t width = text_width(shortened ?: text);
	int pad = c->width > width ? c->width - width : 0;

	if (!c->key)
		fprintf(out, "%*s", pad, "");
	if (shortened)
		fputs(shortened, out);
	else
		print_cut(out, t, column, text);
	if (c->key && column + 1 < t->nr_columns)
		fprintf(out, "%*s", pad, "");
	free(shortened);
}

void report_table_print_titles(FILE *out, const struct report_table *t)
{
	size_t i;

	for (i = 0; i < t->nr_columns; i++) {
		int pad = t->columns[i].width - strlen(t->columns[i].header);

		fputs(i ? "  " : "", out);
		print_cut(out, t, i, t->columns[i].header);
		fprintf(out, "%*s", pad > 0 ? pad : 0, "");
	}
}

void report_table_print_row(FILE *out, const struct report_table *t, const struct report_row *row)
{
	size_t i;

	for (i = 0; i < t->nr_columns; i++) {
		fputs("  ", out);
		report_table_print_text(out, t, i, row->texts[i]);
	}
}

void report_table_free(struct report_table *t)
{
	size_t i, column;

	for (i = 0; i < t->nr_rows; i++) {
		for (column = 0; column < t->nr_columns; column++)
			free(t->rows[i].texts[column]);
	}
	free(t->rows);
}
