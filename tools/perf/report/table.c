// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a table of a histogram: the texts of its rows, and the widths of its columns.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "group_rows.h"
#include "table.h"

/* Widths of the numbers of one event of a group. */
#define GROUP_PERCENT_WIDTH 8
#define GROUP_COUNT_WIDTH 12

static struct report_column *add_column(struct report_table *t, const char *header)
{
	struct report_column *column = &t->columns[t->nr_columns++];

	column->header = header;
	column->width = strlen(header);
	return column;
}

static void add_number(struct report_table *t, const char *header, enum report_number number)
{
	add_column(t, header)->number = number;
}

/*
 * Add the column of a percentage, with a column of latency before or after it, or only the column
 * of latency.
 */
static void add_percentage(struct report_table *t, const char *header, enum report_number number,
			   enum report_number latency_number)
{
	bool latency = report_has_latency(t->style, t->hist);

	if (latency && t->style->latency_first)
		add_number(t, " Latency", latency_number);
	if (report_has_overhead(t->style))
		add_number(t, header, number);
	if (latency && !t->style->latency_first)
		add_number(t, " Latency", latency_number);
}

static void add_columns(struct report_table *t)
{
	const struct sort_keys *keys = t->hist->keys;
	size_t i, hidden = 0;

	if (t->hist->children) {
		add_percentage(t, "Children", NUMBER_TOTAL, NUMBER_TOTAL_LATENCY);
		add_percentage(t, "    Self", NUMBER_SELF, NUMBER_SELF_LATENCY);
	} else {
		add_percentage(t, "Overhead", NUMBER_SELF, NUMBER_SELF_LATENCY);
	}
	if (t->style->with_counts)
		add_number(t, "     Samples", NUMBER_SAMPLES);
	if (t->style->with_periods)
		add_number(t, "      Period", NUMBER_PERIOD);
	for (i = 0; i < keys->nr; i++)
		hidden += sort_keys_have(&t->style->hidden, keys->keys[i]->name);
	for (i = 0; i < keys->nr; i++) {
		/* Rows need a name: do not hide the only column. */
		if (hidden == keys->nr || !sort_keys_have(&t->style->hidden, keys->keys[i]->name))
			add_column(t, keys->keys[i]->header)->key = keys->keys[i];
	}
}

double report_percent(const struct hist *hist, uint64_t period)
{
	return hist->period ? 100.0 * period / hist->period : 0.0;
}

/* Return a number of an event in a row; @entry is NULL if the event does not have the row. */
static char *number_text(const struct hist *hist, const struct hist_entry *entry,
			 enum report_number number)
{
	static const struct hist_entry none;
	const struct hist_entry *e = entry ?: &none;

	switch (number) {
	case NUMBER_TOTAL:
		return xasprintf("%.2f%%", report_percent(hist, e->total));
	case NUMBER_SELF:
		return xasprintf("%.2f%%", report_percent(hist, e->self));
	case NUMBER_TOTAL_LATENCY:
		return xasprintf("%.2f%%", latency_percent(e->total_latency, hist->latency));
	case NUMBER_SELF_LATENCY:
		return xasprintf("%.2f%%", latency_percent(e->self_latency, hist->latency));
	case NUMBER_SAMPLES:
		return xasprintf("%" PRIu64, e->nr_self);
	case NUMBER_PERIOD:
		return xasprintf("%" PRIu64, e->self);
	}
	return NULL;
}

/*
 * Return the numbers that the events of a group have in a row, with one width or one blank between
 * them. Events without samples are left out, as in the kernel's perf.
 */
static char *group_text(const struct report_table *t, const struct report_row *row,
			enum report_number number)
{
	bool count = number == NUMBER_SAMPLES || number == NUMBER_PERIOD;
	int width = t->style->separator ? 0 : count ? GROUP_COUNT_WIDTH : GROUP_PERCENT_WIDTH;
	char *text = xstrdup("");
	size_t i;

	for (i = 0; i < t->nr_hists; i++) {
		char *own, *longer;

		if (!t->hist[i].nr_samples)
			continue;
		own = number_text(&t->hist[i], hist_find(&t->hist[i], &row->entry->point), number);
		longer = xasprintf("%s%s%*s", text, i && !width ? " " : "", width, own);
		free(own);
		free(text);
		text = longer;
	}
	return text;
}

static char *column_text(const struct report_table *t, const struct report_row *row,
			 const struct report_column *column)
{
	if (column->key)
		return sort_key_text(column->key, &row->entry->point, t->style->verbose);
	if (t->nr_hists > 1)
		return group_text(t, row, column->number);
	return number_text(t->hist, row->entry, column->number);
}

static void fill_row(const struct report_table *t, struct report_row *row)
{
	size_t i;

	for (i = 0; i < t->nr_columns; i++)
		row->texts[i] = column_text(t, row, &t->columns[i]);
}

bool report_shows_dso(const struct report_style *style, const struct dso *dso)
{
	if (!style->dsos)
		return true;
	if (!dso)
		return in_list(style->dsos, "[unknown]");
	return in_list(style->dsos, dso->name) || in_list(style->dsos, dso->long_name);
}

static bool is_large(const struct report_style *style, const struct hist *hist,
		     const struct hist_entry *entry)
{
	uint64_t period = hist->children ? entry->total : entry->self;

	return report_percent(hist, period) >= style->min_percent;
}

/* Return true if the share of one event is large enough and the file is shown. */
static bool is_shown(const struct report_table *t, const struct hist_entry *entry)
{
	bool large = false;
	size_t i;

	for (i = 0; !large && i < t->nr_hists; i++) {
		const struct hist_entry *own = t->nr_hists == 1 ? entry :
			hist_find(&t->hist[i], &entry->point);

		large = own && is_large(t->style, &t->hist[i], own);
	}
	return large && report_shows_dso(t->style, entry->point.at.dso);
}

static void add_rows(struct report_table *t)
{
	const struct hist_entry **sorted;
	size_t i, column, nr;

	sorted = group_rows(t->hist, t->nr_hists, &nr);
	t->rows = xcalloc(nr, sizeof(*t->rows));
	for (i = 0; i < nr; i++) {
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

void report_table_make_group(struct report_table *t, const struct report_style *style,
			     const struct hist *hists, size_t nr)
{
	while (nr > 1 && !hists->nr_samples) {
		hists++;
		nr--;
	}
	while (nr > 1 && !hists[nr - 1].nr_samples)
		nr--;
	*t = (struct report_table){ .style = style, .hist = hists, .nr_hists = nr };
	add_columns(t);
	add_rows(t);
	if (style->terminal && !style->nr_widths && !style->separator)
		fit_columns(t);
	set_widths(t);
}

void report_table_make(struct report_table *t, const struct report_style *style,
		       const struct hist *hist)
{
	report_table_make_group(t, style, hist, 1);
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
		if (!t->columns[i].key)
			fprintf(out, "%*s", pad > 0 ? pad : 0, "");
		print_cut(out, t, i, t->columns[i].header);
		if (t->columns[i].key)
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
