// SPDX-License-Identifier: GPL-2.0
/*
 * Prints a histogram (--stdio): a table whose rows may have call chains below.
 */
#include <inttypes.h>
#include <string.h>

#include "chains.h"
#include "hierarchy.h"
#include "hist_print.h"

static void print_separated_titles(FILE *out, const struct report_table *t)
{
	size_t i;

	for (i = 0; i < t->nr_columns; i++) {
		const char *header = t->columns[i].header;

		fprintf(out, "%s%.*s", header + strspn(header, " "), i + 1 < t->nr_columns,
			&t->style->separator);
	}
	fputc('\n', out);
}

static void print_headers(FILE *out, const struct report_table *t)
{
	size_t i, dots;

	fputs("# ", out);
	if (t->style->separator) {
		print_separated_titles(out, t);
		return;
	}
	report_table_print_titles(out, t);
	fputs("\n# ", out);
	for (i = 0; i < t->nr_columns; i++) {
		fputs(i ? "  " : "", out);
		for (dots = 0; dots < t->columns[i].width; dots++)
			fputc('.', out);
	}
	fputs("\n#\n", out);
}

/* Print a row with separators. A separator in a text is replaced by a period. */
static void print_separated(FILE *out, const struct report_table *t, const struct report_row *row)
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

/* Print the chains of a row. A row of a group has the chains of the event of @t->hist. */
static void print_chains(FILE *out, const struct report_table *t, const struct hist_entry *entry)
{
	const struct chain_print chains = {
		.style = t->style->chains,
		.total = t->hist->period,
		.separator = t->style->separator ? t->style->separator : ';',
		.skip_first = !strncmp(t->style->sort_order, "sym", 3),
	};

	if (t->nr_hists > 1)
		entry = hist_find(t->hist, &entry->point);
	if (entry)
		report_chains(out, &chains, entry, t->hist->children);
}

static void print_row(FILE *out, const struct report_table *t, const struct report_row *row)
{
	if (t->style->separator) {
		print_separated(out, t, row);
	} else {
		report_table_print_row(out, t, row);
		fputc('\n', out);
	}
	print_chains(out, t, row->entry);
}

/* Print @nr as "515 ", "1K" or "2M", like the kernel's perf. */
void report_count(FILE *out, uint64_t nr)
{
	static const char units[] = " KMGT";
	size_t unit = 0;

	while (nr >= 1000 && units[unit + 1]) {
		nr /= 1000;
		unit++;
	}
	fprintf(out, "%" PRIu64 "%c", nr, units[unit]);
}

/**
 * report_hist() - Print the histogram of an event, or those of a group of events as one table
 * @out: stream to print to
 * @style: style of the report; no hierarchy for a group
 * @hists: histograms, one of which has samples
 * @nr: number of @hists
 */
void report_hist(FILE *out, const struct report_style *style, const struct hist *hists, size_t nr)
{
	struct report_table t;
	size_t i;

	report_table_make_group(&t, style, hists, nr);
	if (style->hierarchy) {
		report_hierarchy(out, &t, print_chains);
		report_table_free(&t);
		return;
	}
	if (!style->no_titles)
		print_headers(out, &t);
	for (i = 0; i < t.nr_rows; i++)
		print_row(out, &t, &t.rows[i]);
	report_table_free(&t);
}
