// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of perf report as CSV (RFC 4180) and JSON (RFC 8259).
 *
 * Rows are in the order of perf report. The weight is the sum of the periods of the samples in a
 * function. If the event has call chains, the total weight also has those of the functions that it
 * called.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "rows.h"

/**
 * export_rows_start() - Prepare rows, without samples so far
 * @rows: set
 * @sort: sort keys that every sample has, separated by commas
 * @err: set to the reason of a failure
 *
 * Return: 0, or -1 with @err set.
 */
int export_rows_start(struct export_rows *rows, const char *sort, struct error *err)
{
	size_t i;

	*rows = (struct export_rows){ 0 };
	if (sort_keys_parse(&rows->keys, sort, err))
		return -1;
	for (i = 0; i < rows->keys.nr; i++) {
		const struct sort_key *key = rows->keys.keys[i];

		if (!sort_key_is_of_branches(key) && !(key->needs & PERF_SAMPLE_RAW) &&
		    !(key->needs & SORT_NEEDS_SWITCHES) && strcmp(key->name, "parent"))
			continue;
		error_set(err, "key '%s' is not exported; use 'perf report -t , --sort %s'",
			  key->name, key->name);
		return -1;
	}
	return 0;
}

/* In a pipe, an event may be described only right before its first sample. */
static struct hist *get_hist(struct export_rows *rows, const struct event_table *events, size_t i)
{
	struct hist *hist;

	while (rows->nr < events->nr) {
		rows->hists = xreallocarray(rows->hists, rows->nr + 1, sizeof(*rows->hists));
		hist = &rows->hists[rows->nr];
		memset(hist, 0, sizeof(*hist));
		hist->keys = &rows->keys;
		hist->children = events->events[rows->nr].attr.sample_type & PERF_SAMPLE_CALLCHAIN;
		hist->caller_first = hist->children;
		rows->nr++;
	}
	return &rows->hists[i];
}

/**
 * export_rows_add() - Add a sample
 * @rows: rows
 * @session: recording; its machine has the state at the time of the sample
 * @record: sample
 */
void export_rows_add(struct export_rows *rows, struct session *session,
		     const struct record *record)
{
	struct hist *hist = get_hist(rows, data_reader_events(session->reader), record->event);
	struct machine *machine = &session->machine;
	struct thread *thread = thread_get(&machine->threads, record->id.pid, record->id.tid);
	struct sample_point point = {
		.pid = record->id.pid,
		.tid = record->id.tid,
		.comm = thread->comm,
		.cpu = record->id.cpu,
		.cgroup = cgroups_path(&machine->cgroups, record->sample.cgroup),
	};

	machine_resolve(machine, thread, cpu_mode_of(record->misc), record->sample.ip, &point.at);
	rows->chain.nr = 0;
	if (hist->children)
		callchain_resolve(&rows->chain, machine, thread, record);
	hist_add(hist, &point, &rows->chain, record->sample.period);
}

/* Put the name of an event, which is not safe to print. */
static void put_event(FILE *out, const char *name, void (*put)(FILE *out, const char *text))
{
	char *safe = escape_name(name);

	put(out, safe);
	free(safe);
}

static void put_csv_row(FILE *out, const struct export_rows *rows, const struct hist *hist,
			const struct hist_entry *entry, const char *event)
{
	size_t i;

	put_event(out, event, csv_print_string);
	fprintf(out, ",%.4f,%" PRIu64 ",%" PRIu64 ",%" PRIu64, report_percent(hist, entry->self),
		entry->nr_self, entry->self, hist->children ? entry->total : entry->self);
	for (i = 0; i < rows->keys.nr; i++) {
		char *text = sort_key_text(rows->keys.keys[i], &entry->point, false);

		fputc(',', out);
		csv_print_string(out, text);
		free(text);
	}
	fputs("\r\n", out);
}

/* Write the rows of all events under one line of titles. */
void export_rows_csv(FILE *out, const struct export_rows *rows, const struct event_table *events)
{
	struct hist_entry **sorted;
	size_t i, j;

	fputs("event,percent,samples,weight,total_weight", out);
	for (i = 0; i < rows->keys.nr; i++)
		fprintf(out, ",%s", rows->keys.keys[i]->name);
	fputs("\r\n", out);
	for (i = 0; i < rows->nr; i++) {
		sorted = hist_sorted(&rows->hists[i]);
		for (j = 0; j < rows->hists[i].entries.nr; j++)
			put_csv_row(out, rows, &rows->hists[i], sorted[j], events->events[i].name);
		free(sorted);
	}
}

static void put_json_row(FILE *out, const struct export_rows *rows, const struct hist *hist,
			 const struct hist_entry *entry)
{
	size_t i;

	fprintf(out, "{\"percent\":%.4f,\"samples\":%" PRIu64 ",\"weight\":%" PRIu64
		",\"total_weight\":%" PRIu64, report_percent(hist, entry->self), entry->nr_self,
		entry->self, hist->children ? entry->total : entry->self);
	for (i = 0; i < rows->keys.nr; i++) {
		char *text = sort_key_text(rows->keys.keys[i], &entry->point, false);

		fprintf(out, ",\"%s\":", rows->keys.keys[i]->name);
		json_print_string(out, text);
		free(text);
	}
	fputc('}', out);
}

static void put_json_event(FILE *out, const struct export_rows *rows, const struct hist *hist,
			   const char *name)
{
	struct hist_entry **sorted = hist_sorted(hist);
	size_t i;

	fputs("{\"event\":", out);
	put_event(out, name, json_print_string);
	fprintf(out, ",\"samples\":%" PRIu64 ",\"weight\":%" PRIu64 ",\"rows\":[",
		hist->nr_samples, hist->period);
	for (i = 0; i < hist->entries.nr; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_json_row(out, rows, hist, sorted[i]);
	}
	fputs("]}", out);
	free(sorted);
}

/* Write an object with the member "events", an array of events with their rows. */
void export_rows_json(FILE *out, const struct export_rows *rows, const struct event_table *events)
{
	bool first = true;
	size_t i;

	fputs("{\"events\":[", out);
	for (i = 0; i < rows->nr; i++) {
		if (!rows->hists[i].nr_samples)
			continue;
		fputs(first ? "\n" : ",\n", out);
		put_json_event(out, rows, &rows->hists[i], events->events[i].name);
		first = false;
	}
	fputs("]}\n", out);
}

void export_rows_free(struct export_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->nr; i++)
		hist_free(&rows->hists[i]);
	free(rows->hists);
	callchain_free(&rows->chain);
}
