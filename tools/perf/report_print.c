// SPDX-License-Identifier: GPL-2.0
/*
 * A histogram as text (--stdio): a table whose rows may have call chains below.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input_options.h"
#include "report_chains.h"
#include "report_print.h"

/* The widest report: share of all, share of its own, count, and every sort key. */
#define COLUMNS_MAX (3 + SORT_KEYS_MAX)

struct column {
	const char *header;
	const struct sort_key *key;	/* NULL: a number */
	size_t width;
};

/* A row: the text of each of its columns. */
struct row {
	const struct hist_entry *entry;
	char *texts[COLUMNS_MAX];
};

struct table {
	const struct report_style *style;
	const struct hist *hist;
	struct column columns[COLUMNS_MAX];
	size_t nr_columns;
	struct row *rows;
	size_t nr_rows;
};

static void add_column(struct table *t, const char *header, const struct sort_key *key)
{
	struct column *column = &t->columns[t->nr_columns++];

	column->header = header;
	column->key = key;
	column->width = strlen(header);
}

static void add_columns(struct table *t)
{
	const struct sort_keys *keys = t->hist->keys;
	size_t i;

	if (t->hist->children) {
		add_column(t, "Children", NULL);
		add_column(t, "    Self", NULL);
	} else {
		add_column(t, "Overhead", NULL);
	}
	if (t->style->with_counts)
		add_column(t, "     Samples", NULL);
	for (i = 0; i < keys->nr; i++) {
		if (!sort_keys_have(&t->style->hidden, keys->keys[i]->name))
			add_column(t, keys->keys[i]->header, keys->keys[i]);
	}
}

static double percent(const struct hist *hist, uint64_t period)
{
	return hist->period ? 100.0 * period / hist->period : 0.0;
}

static void fill_row(const struct table *t, struct row *row)
{
	const struct hist_entry *entry = row->entry;
	size_t i, nr = 0;

	if (t->hist->children)
		row->texts[nr++] = xasprintf("%.2f%%", percent(t->hist, entry->total));
	row->texts[nr++] = xasprintf("%.2f%%", percent(t->hist, entry->self));
	if (t->style->with_counts)
		row->texts[nr++] = xasprintf("%" PRIu64, entry->nr_self);
	for (i = nr; i < t->nr_columns; i++)
		row->texts[i] = t->columns[i].key->text(&entry->point, t->style->verbose);
}

/* Columns on a terminal: characters, which in UTF-8 are the bytes that start one. */
static size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static bool is_shown(const struct table *t, const struct hist_entry *entry)
{
	uint64_t period = t->hist->children ? entry->total : entry->self;
	const struct dso *dso = entry->point.at.dso;

	if (percent(t->hist, period) < t->style->min_percent)
		return false;
	if (!t->style->dsos)
		return true;
	if (!dso)
		return in_list(t->style->dsos, "[unknown]");
	return in_list(t->style->dsos, dso->name) || in_list(t->style->dsos, dso->long_name);
}

static void add_rows(struct table *t)
{
	struct hist_entry **sorted = hist_sorted(t->hist);
	size_t i, column;

	t->rows = xcalloc(t->hist->entries.nr, sizeof(*t->rows));
	for (i = 0; i < t->hist->entries.nr; i++) {
		struct row *row = &t->rows[t->nr_rows];

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

static void print_headers(FILE *out, const struct table *t)
{
	size_t i, dots;

	fputs("# ", out);
	for (i = 0; i < t->nr_columns; i++) {
		const struct column *c = &t->columns[i];

		if (t->style->separator)
			fprintf(out, "%s%.*s", c->header + strspn(c->header, " "),
				i + 1 < t->nr_columns, &t->style->separator);
		else
			fprintf(out, "%s%-*s", i ? "  " : "", (int)c->width, c->header);
	}
	fputc('\n', out);
	if (t->style->separator)
		return;
	fputs("# ", out);
	for (i = 0; i < t->nr_columns; i++) {
		fputs(i ? "  " : "", out);
		for (dots = 0; dots < t->columns[i].width; dots++)
			fputc('.', out);
	}
	fputs("\n#\n", out);
}

/* The separator must not occur in what it separates. */
static void print_separated(FILE *out, const struct table *t, const struct row *row)
{
	size_t i;
	char *c;

	for (i = 0; i < t->nr_columns; i++) {
		for (c = row->texts[i]; *c; c++) {
			if (*c == t->style->separator)
				*c = '.';
		}
		if (i)
			fputc(t->style->separator, out);
		fputs(row->texts[i] + strspn(row->texts[i], " "), out);
	}
	fputc('\n', out);
}

static void print_padded(FILE *out, const struct table *t, const struct row *row)
{
	size_t i;

	for (i = 0; i < t->nr_columns; i++) {
		const struct column *c = &t->columns[i];
		int pad = c->width - text_width(row->texts[i]);

		fputs("  ", out);
		if (!c->key)
			fprintf(out, "%*s%s", pad, "", row->texts[i]);
		else if (i + 1 < t->nr_columns)
			fprintf(out, "%s%*s", row->texts[i], pad, "");
		else
			fputs(row->texts[i], out);
	}
	fputc('\n', out);
}

static void print_row(FILE *out, const struct table *t, const struct row *row)
{
	const struct chain_print chains = {
		.style = t->style->chains,
		.total = t->hist->period,
		.separator = t->style->separator ? t->style->separator : ';',
		.skip_first = !strncmp(t->style->sort_order, "sym", 3),
	};

	if (t->style->separator)
		print_separated(out, t, row);
	else
		print_padded(out, t, row);
	if (row->entry->chains)
		report_chains(out, &chains, row->entry, t->hist->children);
}

/**
 * report_hist - print a histogram
 * @out: where to
 * @style: how
 * @hist: the histogram
 */
void report_hist(FILE *out, const struct report_style *style, const struct hist *hist)
{
	struct table t = { .style = style, .hist = hist };
	size_t i, column;

	add_columns(&t);
	add_rows(&t);
	print_headers(out, &t);
	for (i = 0; i < t.nr_rows; i++) {
		print_row(out, &t, &t.rows[i]);
		for (column = 0; column < t.nr_columns; column++)
			free(t.rows[i].texts[column]);
	}
	free(t.rows);
}
