// SPDX-License-Identifier: GPL-2.0
/*
 * A profile as an HTML page.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "assets.h"
#include "columns.h"
#include "page.h"
#include "page_summary.h"

/* Number of columns of the page: of functions, of stacks and, for each recording, of samples. */
#define COLUMNS_MAX (5 + 2 + 3 + PAGE_RECORDINGS * 8)

/* A column and its title in the data. */
struct titled_column {
	struct column column;
	const char *title;
	bool delta;
	uint64_t last;
};

/* The columns of the page, in the order in which they were started. */
struct columns {
	struct titled_column list[COLUMNS_MAX];
	size_t nr;
};

static struct titled_column *start_column(struct columns *columns, const char *title, bool delta)
{
	struct titled_column *new = &columns->list[columns->nr++];

	*new = (struct titled_column){ .title = title, .delta = delta };
	return new;
}

static void add(struct titled_column *column, uint64_t number)
{
	if (column->delta)
		column_add_signed(&column->column, number - column->last);
	else
		column_add(&column->column, number);
	column->last = number;
}

/* Add a column with one member of each element of an array. */
#define ADD_COLUMN(columns, title, delta, array, count, member) do { \
	struct titled_column *column_ = start_column(columns, title, delta); \
	size_t i_; \
	for (i_ = 0; i_ < (count); i_++) \
		add(column_, (array)[i_].member); \
} while (0)

static void add_samples(struct columns *columns, const struct page_recording *recording)
{
	struct titled_column *time = start_column(columns, "time", true);
	size_t i;

	for (i = 0; i < recording->nr; i++)
		add(time, recording->samples[i].time - recording->samples[0].time);
	ADD_COLUMN(columns, "period", false, recording->samples, recording->nr, period);
	ADD_COLUMN(columns, "cpu", false, recording->samples, recording->nr, cpu);
	ADD_COLUMN(columns, "thread", false, recording->samples, recording->nr, thread);
	ADD_COLUMN(columns, "event", false, recording->samples, recording->nr, event);
	ADD_COLUMN(columns, "stack", false, recording->samples, recording->nr, stack);
	ADD_COLUMN(columns, "cgroup", false, recording->samples, recording->nr, cgroup);
	ADD_COLUMN(columns, "reason", false, recording->samples, recording->nr, reason);
}

static void add_columns(struct columns *columns, const struct page_profile *profile)
{
	const struct page_stack *stacks = profile->stacks + 1;
	const size_t nr_stacks = profile->nr_stacks - 1;
	size_t i;

	ADD_COLUMN(columns, "frame.name", false, profile->frames, profile->nr_frames, name);
	ADD_COLUMN(columns, "frame.dso", false, profile->frames, profile->nr_frames, dso);
	ADD_COLUMN(columns, "frame.mode", false, profile->frames, profile->nr_frames, mode);
	ADD_COLUMN(columns, "frame.source", false, profile->frames, profile->nr_frames, source);
	ADD_COLUMN(columns, "frame.line", false, profile->frames, profile->nr_frames, line);
	ADD_COLUMN(columns, "stack.caller", true, stacks, nr_stacks, caller);
	ADD_COLUMN(columns, "stack.frame", false, stacks, nr_stacks, frame);
	ADD_COLUMN(columns, "thread.pid", false, profile->threads, profile->nr_threads, pid);
	ADD_COLUMN(columns, "thread.tid", false, profile->threads, profile->nr_threads, tid);
	ADD_COLUMN(columns, "thread.comm", false, profile->threads, profile->nr_threads, comm);
	for (i = 0; i < profile->nr_recordings; i++)
		add_samples(columns, &profile->recordings[i]);
}

static void print_texts(FILE *out, const char *name, const struct text_list *list)
{
	uint32_t i;

	fprintf(out, ",\"%s\":[", name);
	for (i = 0; i < list->nr; i++) {
		if (i)
			putc(',', out);
		json_print_string(out, list->texts[i]);
	}
	putc(']', out);
}

static void print_fact(FILE *out, const char *name, const char *text)
{
	char *safe = escape_name(text ? text : "");

	fprintf(out, ",\"%s\":", name);
	json_print_string(out, safe);
	free(safe);
}

static void print_recordings(FILE *out, const struct page_profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr_recordings; i++) {
		const struct page_recording *recording = &profile->recordings[i];
		uint64_t start = recording->nr ? recording->samples[0].time : 0;

		/* The times do not fit the numbers of JavaScript, so they are texts. */
		fprintf(out, "%s{\"start\":\"%" PRIu64 ".%09" PRIu64 "\",\"date\":%" PRIu64
			",\"lost\":%" PRIu64, i ? "," : "", start / 1000000000,
			start % 1000000000, recording->date, recording->lost);
		print_fact(out, "path", recording->path);
		print_fact(out, "command", recording->command);
		print_fact(out, "host", recording->host);
		print_fact(out, "release", recording->release);
		print_fact(out, "processor", recording->cpu);
		putc('}', out);
	}
}

static void print_texts_of(FILE *out, const struct page_profile *profile,
			   const struct columns *columns)
{
	size_t i;

	fputs("{\"recordings\":[", out);
	print_recordings(out, profile);
	putc(']', out);
	print_texts(out, "names", &profile->names);
	print_texts(out, "dsos", &profile->dsos);
	print_texts(out, "sources", &profile->sources);
	print_texts(out, "comms", &profile->comms);
	print_texts(out, "events", &profile->events);
	print_texts(out, "cgroups", &profile->cgroups);
	print_texts(out, "reasons", &profile->reasons);
	fputs(",\"columns\":[", out);
	for (i = 0; i < columns->nr; i++) {
		const struct titled_column *column = &columns->list[i];

		fprintf(out, "%s[\"%s\",%zu,%zu,\"%s\"]", i ? "," : "", column->title,
			column->column.nr, column->column.size, column->delta ? "delta" : "");
	}
	fputs("]}\n", out);
}

static void print_data(FILE *out, const struct page_profile *profile)
{
	struct columns columns = { .nr = 0 };
	struct packer packer;
	size_t size, i;
	char *text;
	FILE *line;

	add_columns(&columns, profile);
	line = open_memstream(&text, &size);
	if (!line)
		die("out of memory");
	print_texts_of(line, profile, &columns);
	fclose(line);
	packer_start(&packer, out);
	packer_add(&packer, text, size);
	free(text);
	for (i = 0; i < columns.nr; i++) {
		packer_add(&packer, columns.list[i].column.bytes, columns.list[i].column.size);
		column_free(&columns.list[i].column);
	}
	packer_end(&packer);
}

static void print_asset(FILE *out, const struct asset *asset)
{
	fwrite(asset->text, 1, asset->end - asset->text, out);
}

/* Print a digest in the syntax of Content-Security-Policy. */
static void print_digest(FILE *out, const struct asset *asset)
{
	uint8_t digest[32];
	size_t i;

	for (i = 0; i < sizeof(digest); i++) {
		char byte[] = { asset->sha256[2 * i], asset->sha256[2 * i + 1], '\0' };

		digest[i] = strtoul(byte, NULL, 16);
	}
	fputs("'sha256-", out);
	print_base64(out, digest, sizeof(digest));
	putc('\'', out);
}

static void print_title(FILE *out, const struct page_profile *profile)
{
	size_t i;

	fputs("perf report: ", out);
	for (i = 0; i < profile->nr_recordings; i++) {
		fputs(i ? ", " : "", out);
		print_html_text(out, profile->recordings[i].command ?:
				profile->recordings[i].path);
	}
}

/* Print the part of a page that has a name in page.html. */
static void print_part(FILE *out, const struct page_profile *profile, const char *name,
		       size_t length)
{
	if (!strncmp(name, "title", length))
		print_title(out, profile);
	else if (!strncmp(name, "style", length))
		print_asset(out, &asset_style);
	else if (!strncmp(name, "script", length))
		print_asset(out, &asset_script);
	else if (!strncmp(name, "style-digest", length))
		print_digest(out, &asset_style);
	else if (!strncmp(name, "script-digest", length))
		print_digest(out, &asset_script);
	else if (!strncmp(name, "summary", length))
		page_summary_print(out, profile);
	else if (!strncmp(name, "data", length))
		print_data(out, profile);
}

void page_print(FILE *out, const struct page_profile *profile)
{
	const char *at = asset_page.text, *mark, *end;

	/* Parts are between "@@" and "@@". */
	while ((mark = memmem(at, asset_page.end - at, "@@", 2))) {
		fwrite(at, 1, mark - at, out);
		mark += 2;
		end = memmem(mark, asset_page.end - mark, "@@", 2);
		print_part(out, profile, mark, end - mark);
		at = end + 2;
	}
	fwrite(at, 1, asset_page.end - at, out);
}
