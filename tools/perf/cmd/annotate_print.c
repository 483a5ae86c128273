// SPDX-License-Identifier: GPL-2.0
/*
 * Prints annotated functions.
 *
 *	columns of events and branches : address: drawn jumps  instruction
 *
 * The columns to the left of the first colon, the address and the instruction are where the
 * kernel's perf prints them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate_print.h"

/* Minimum percentage of a line in the summary of -l, and of an instruction with its source line. */
#define SUMMARY_MIN 0.5

static int width_of(const struct annotate_style *style)
{
	return style->column == COLUMN_PERIOD ? 12 : 8;
}

/* Return the number of characters of all columns. */
static int width_of_all(const struct annotate_style *style, size_t nr_events)
{
	return (int)nr_events * width_of(style) + 8 * style->has_runs + 15 * style->has_branches +
	       8 * style->has_cycles;
}

static const char *const type_names[] = {
	[PERCENT_LOCAL_PERIOD] = "local period",
	[PERCENT_LOCAL_HITS] = "local hits",
	[PERCENT_GLOBAL_PERIOD] = "global period",
	[PERCENT_GLOBAL_HITS] = "global hits",
};

void annotate_print_title(FILE *out, const struct annotate_style *style,
			  const struct function_hits *function, const char *events,
			  size_t nr_events, uint64_t nr)
{
	static const char *const columns[] = { "Percent", "Samples", "Period" };
	const struct dso *dso = function->at.dso;
	int width = (int)nr_events * width_of(style), length;
	char *title;

	if (style->no_titles)
		return;
	title = xasprintf(" %-*s%s%s%s |\tSource code & Disassembly of %s for %s (%" PRIu64
			  " samples, percent: %s)", width - 1, columns[style->column],
			  style->has_runs ? "    Runs" : "",
			  style->has_branches ? "   Taken  Miss%" : "",
			  style->has_cycles ? "  Cycles" : "",
			  style->full_paths ? dso->long_name : dso->name, events, nr,
			  type_names[style->type]);
	fprintf(out, "%s\n", title);
	for (length = strlen(title); length > 0; length--)
		fputc('-', out);
	fputc('\n', out);
	free(title);
}

/* Print the start of a line without numbers. */
static void print_margin(FILE *out, const struct annotate_style *style,
			 const struct listing *listing)
{
	fprintf(out, "%*s : ", width_of_all(style, listing->nr_events), "");
}

static void print_share(FILE *out, const struct annotate_style *style,
			const struct listing *listing, const struct share *share, size_t event)
{
	if (style->column == COLUMN_SAMPLES)
		fprintf(out, "%8" PRIu64, share->nr);
	else if (style->column == COLUMN_PERIOD)
		fprintf(out, "%12" PRIu64, share->period);
	else
		fprintf(out, "%8.2f", listing_percent(listing, share, event, style->type));
}

static void print_branches(FILE *out, const struct annotate_style *style,
			   const struct code_line *code)
{
	if (style->has_runs)
		fprintf(out, code->runs ? "%8" PRIu64 : "%8.0" PRIu64, code->runs);
	if (style->has_branches && code->taken)
		fprintf(out, "%8" PRIu64 "%7.1f", code->taken, 100.0 * code->missed / code->taken);
	else if (style->has_branches)
		fprintf(out, "%15s", "");
	if (style->has_cycles && code->timed)
		fprintf(out, "%8.1f", (double)code->cycles / code->timed);
	else if (style->has_cycles)
		fprintf(out, "%8s", "");
}

/* Print the mark of the hot path, and the drawn jumps, at an instruction or above it. */
static void print_jumps(FILE *out, const struct annotate_style *style,
			const struct listing *listing, uint32_t index, bool above)
{
	char *drawn;

	if (style->no_jumps)
		return;
	drawn = jumps_draw(&listing->jumps, listing->code, index, above, style->ascii);
	fprintf(out, "%c%s ", !above && listing->code[index].hot ? '*' : ' ', drawn);
	free(drawn);
}

static void print_bytes(FILE *out, const struct code_line *code)
{
	size_t i;

	for (i = 0; i < code->size; i++)
		fprintf(out, "%02x ", code->bytes[i]);
	for (; i < 8; i++)
		fputs("   ", out);
}

static double percent_of(const struct annotate_style *style, const struct listing *listing,
			 uint32_t index)
{
	return listing_percent(listing, &listing->shares[index * listing->nr_events], 0,
			       style->type);
}

static void print_code(FILE *out, const struct annotate_style *style,
		       const struct listing *listing, uint32_t index)
{
	const struct code_line *code = &listing->code[index];
	size_t event;

	for (event = 0; event < listing->nr_events; event++)
		print_share(out, style, listing,
			    &listing->shares[index * listing->nr_events + event], event);
	print_branches(out, style, code);
	fprintf(out, " :   %" PRIx64 ":", code->addr);
	fputs(style->no_jumps ? "   " : " ", out);
	print_jumps(out, style, listing, index, false);
	if (style->raw)
		print_bytes(out, code);
	fputs(code->text, out);
	if (style->print_line && code->line && percent_of(style, listing, index) > SUMMARY_MIN)
		fprintf(out, " // %s:%" PRIu32, source_file_text(code->file), code->line);
	fputc('\n', out);
}

/* Print blanks in the place of an address, so that drawn jumps continue. */
static void print_above(FILE *out, const struct annotate_style *style,
			const struct listing *listing, uint32_t index)
{
	print_margin(out, style, listing);
	if (style->no_jumps)
		return;
	fprintf(out, "  %*s  ", snprintf(NULL, 0, "%" PRIx64, listing->code[index].addr), "");
	print_jumps(out, style, listing, index, true);
}

static void print_loop(FILE *out, const struct annotate_style *style,
		       const struct listing *listing, const struct listing_line *line)
{
	const struct loop *loop = &listing->loops[line->loop];
	size_t event;

	if (style->no_jumps)
		return;
	print_above(out, style, listing, line->code);
	fprintf(out, "loop of %" PRIu32 " instructions to %" PRIx64, loop->last - loop->first + 1,
		listing->code[loop->last].addr);
	if (loop->depth > 1)
		fprintf(out, ", depth %" PRIu32, loop->depth);
	for (event = 0; event < listing->nr_events; event++)
		fprintf(out, "%s%.2f%%", event ? " " : ": ",
			listing_percent(listing,
					&listing->loop_shares[line->loop * listing->nr_events +
							      event], event, style->type));
	fputc('\n', out);
}

static void print_source(FILE *out, const struct annotate_style *style,
			 const struct listing *listing, const struct listing_line *line)
{
	const struct code_line *code = &listing->code[line->code];

	print_above(out, style, listing, line->code);
	if (line->kind == LINE_FUNCTION)
		fprintf(out, "%s:\n", line->text);
	else
		fprintf(out, "%s:%" PRIu32 "%s%s\n", source_file_text(code->file), code->line,
			line->text ? "  " : "", line->text ?: "");
}

/* The samples of a source line, for the summary. */
struct summed_line {
	const struct source_file *file;
	uint32_t line;
	double percent;
};

static int compare_places(const void *x, const void *y)
{
	const struct summed_line *a = x, *b = y;

	if (a->file != b->file)
		return a->file->number < b->file->number ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static int compare_percents(const void *x, const void *y)
{
	const struct summed_line *a = x, *b = y;

	if (a->percent != b->percent)
		return a->percent > b->percent ? -1 : 1;
	return compare_places(x, y);
}

/* Print the source lines with the most samples. */
static void print_summary(FILE *out, const struct annotate_style *style,
			  const struct listing *listing)
{
	struct summed_line *lines = xcalloc(listing->nr, sizeof(*lines));
	size_t nr = 0, i, sums = 0;

	for (i = 0; i < listing->nr; i++) {
		if (listing->code[i].line)
			lines[nr++] = (struct summed_line){
				listing->code[i].file, listing->code[i].line,
				percent_of(style, listing, i),
			};
	}
	qsort(lines, nr, sizeof(*lines), compare_places);
	for (i = 0; i < nr; i++) {
		if (sums && !compare_places(&lines[sums - 1], &lines[i]))
			lines[sums - 1].percent += lines[i].percent;
		else
			lines[sums++] = lines[i];
	}
	qsort(lines, sums, sizeof(*lines), compare_percents);
	fprintf(out, "\nSorted summary for file %s\n", listing->function->at.dso->long_name);
	fputs("----------------------------------------------\n\n", out);
	for (i = 0; i < sums && lines[i].percent > SUMMARY_MIN; i++)
		fprintf(out, "%8.2f %s:%" PRIu32 "\n", lines[i].percent,
			source_file_text(lines[i].file), lines[i].line);
	fputc('\n', out);
	free(lines);
}

void annotate_print(FILE *out, const struct annotate_style *style, const struct listing *listing)
{
	const struct function_hits *function = listing->function;
	size_t i;

	if (style->print_line)
		print_summary(out, style, listing);
	print_margin(out, style, listing);
	fprintf(out, "%s():\n", symbol_name(function->at.symbol));
	for (i = 0; i < listing->nr_lines; i++) {
		const struct listing_line *line = &listing->lines[i];

		switch (line->kind) {
		case LINE_CODE:
			print_code(out, style, listing, line->code);
			break;
		case LINE_LOOP:
			print_loop(out, style, listing, line);
			break;
		case LINE_SOURCE:
		case LINE_FUNCTION:
			print_source(out, style, listing, line);
			break;
		}
	}
	if (listing->cut)
		fputs("The function is larger; the rest is not shown.\n", out);
	if (listing->nr_outside)
		fprintf(out, "%" PRIu64 " samples are at addresses that are not shown.\n",
			listing->nr_outside);
}
