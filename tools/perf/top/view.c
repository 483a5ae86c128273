// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the lines of text that perf top shows for an event.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "view.h"

char *top_facts_text(const struct top_facts *facts)
{
	char *often = facts->period ? xasprintf("every %llu", facts->period) :
				      xasprintf("%lu Hz", facts->freq);
	char *text = xasprintf("%s, lost: %" PRIu64 ", delay: %g s%s%s", often, facts->lost,
			       facts->delay, facts->no_kernel ? ", no kernel" : "",
			       facts->no_user ? ", no user" : "");

	free(often);
	return text;
}

static char *facts_line(const struct top_facts *facts, const struct hist *hist)
{
	char *line, *text = top_facts_text(facts);
	size_t size;
	FILE *out = open_memstream(&line, &size);

	fputs("Samples: ", out);
	report_count(out, hist->nr_samples);
	fputs(" of event '", out);
	fput_name(facts->event, out);
	fprintf(out, "', %s, Event count (approx.): %" PRIu64, text, hist->period);
	fclose(out);
	free(text);
	return line;
}

/* Make the line of titles. It begins with as many blanks as rows do, and has no trailing blanks. */
static char *titles_line(const struct report_table *table)
{
	char *line;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	fputs("  ", out);
	report_table_print_titles(out, table);
	fclose(out);
	while (line[strlen(line) - 1] == ' ')
		line[strlen(line) - 1] = '\0';
	return line;
}

static char *row_line(const struct report_table *table, const struct report_row *row)
{
	char *line;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	report_table_print_row(out, table, row);
	fclose(out);
	return line;
}

void top_view_make(struct top_view *view, const struct top_facts *facts,
		   const struct report_style *style, const struct hist *hist)
{
	struct report_table table;
	size_t i;

	report_table_make(&table, style, hist);
	*view = (struct top_view){
		.facts = facts_line(facts, hist),
		.titles = titles_line(&table),
		.rows = xcalloc(table.nr_rows, sizeof(*view->rows)),
		.nr_rows = table.nr_rows,
	};
	for (i = 0; i < table.nr_rows; i++)
		view->rows[i] = row_line(&table, &table.rows[i]);
	report_table_free(&table);
}

void top_view_free(struct top_view *view)
{
	size_t i;

	for (i = 0; i < view->nr_rows; i++)
		free(view->rows[i]);
	free(view->rows);
	free(view->titles);
	free(view->facts);
	*view = (struct top_view){ 0 };
}
