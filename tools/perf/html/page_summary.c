// SPDX-License-Identifier: GPL-2.0
/* The part of a page that a browser shows without JavaScript. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "page_summary.h"

/* Maximum number of functions in the table. */
#define SUMMARY_ROWS 30

/* The sums of the samples of a function. */
struct row {
	uint64_t self;
	uint64_t total;
	uint32_t frame;
};

void print_html_text(FILE *out, const char *text)
{
	char *safe = escape_name(text);
	const char *at;

	for (at = safe; *at; at++) {
		if (strchr("&<>\"'", *at))
			fprintf(out, "&#%d;", *at);
		else
			putc(*at, out);
	}
	free(safe);
}

static void print_fact(FILE *out, const char *name, const char *text)
{
	if (!text)
		return;
	fprintf(out, "<dt>%s</dt><dd>", name);
	print_html_text(out, text);
	fputs("</dd>\n", out);
}

static void print_date(FILE *out, uint64_t date)
{
	time_t seconds = date;
	char text[64];
	struct tm tm;

	if (date && localtime_r(&seconds, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &tm))
		print_fact(out, "Date", text);
}

static void print_recording(FILE *out, const struct page_recording *recording)
{
	fputs("<dl>\n", out);
	print_fact(out, "Recording", recording->path);
	print_fact(out, "Command", recording->command);
	print_fact(out, "Host", recording->host);
	print_fact(out, "Kernel", recording->release);
	print_fact(out, "CPU", recording->cpu);
	print_date(out, recording->date);
	fprintf(out, "<dt>Samples</dt><dd>%zu", recording->nr);
	if (recording->lost)
		fprintf(out, ", and %" PRIu64 " lost", recording->lost);
	fputs("</dd>\n</dl>\n", out);
}

/* Return the sums of each function for one event. */
static struct row *make_rows(const struct page_profile *profile,
			     const struct page_recording *recording, uint32_t event,
			     uint64_t *sum)
{
	struct row *rows = xcalloc(profile->nr_frames + 1, sizeof(*rows));
	uint64_t *totals = xcalloc(profile->nr_stacks, sizeof(*totals));
	const struct page_stack *stack;
	uint32_t number;
	size_t i;

	for (number = 0; number < profile->nr_frames; number++)
		rows[number].frame = number;
	for (i = 0; i < recording->nr; i++) {
		const struct page_sample *sample = &recording->samples[i];

		if (sample->event != event)
			continue;
		*sum += sample->period;
		totals[sample->stack] += sample->period;
		if (sample->stack != NO_STACK)
			rows[profile->stacks[sample->stack].frame].self += sample->period;
	}
	/* The number of a stack is greater than that of its callers. */
	for (number = profile->nr_stacks - 1; number > 0; number--) {
		stack = &profile->stacks[number];
		totals[stack->caller] += totals[number];
		if (stack->outermost)
			rows[stack->frame].total += totals[number];
	}
	free(totals);
	return rows;
}

static int compare_rows(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return a->frame < b->frame ? -1 : a->frame > b->frame;
}

static void print_rows(FILE *out, const struct page_profile *profile,
		       const struct page_recording *recording)
{
	static const char * const titles[] = { "Self", "Total", "Function", "File" };
	uint32_t event = recording->samples[0].event, i;
	const struct page_frame *frame;
	uint64_t sum = 0;
	struct row *rows = make_rows(profile, recording, event, &sum);

	qsort(rows, profile->nr_frames, sizeof(*rows), compare_rows);
	fputs("<table>\n<caption>Functions with the most of the event ", out);
	print_html_text(out, profile->events.texts[event]);
	fputs("</caption>\n<thead><tr>", out);
	for (i = 0; i < ARRAY_SIZE(titles); i++)
		fprintf(out, "<th scope=\"col\">%s</th>", titles[i]);
	fputs("</tr></thead>\n<tbody>\n", out);
	for (i = 0; i < profile->nr_frames && i < SUMMARY_ROWS && rows[i].total; i++) {
		frame = &profile->frames[rows[i].frame];
		fprintf(out, "<tr><td>%.2f%%</td><td>%.2f%%</td><td>",
			100.0 * rows[i].self / sum, 100.0 * rows[i].total / sum);
		if (frame->mode != MODE_NOWHERE)
			fprintf(out, "[%c] ", frame->mode);
		print_html_text(out, profile->names.texts[frame->name]);
		fputs("</td><td>", out);
		print_html_text(out, profile->dsos.texts[frame->dso]);
		fputs("</td></tr>\n", out);
	}
	fputs("</tbody>\n</table>\n", out);
	free(rows);
}

void page_summary_print(FILE *out, const struct page_profile *profile)
{
	const struct page_recording *recording;
	size_t i;

	for (i = 0; i < profile->nr_recordings; i++) {
		recording = &profile->recordings[i];
		print_recording(out, recording);
		if (recording->nr)
			print_rows(out, profile, recording);
	}
}
