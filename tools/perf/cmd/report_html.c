// SPDX-License-Identifier: GPL-2.0
/* perf report --html: a report for a browser. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "html/html.h"
#include "report/report.h"
#include "report_html.h"

/* Maximum number of functions of a call chain, as in the report as text. */
#define FRAMES_MAX 1024

/**
 * struct known_stack - the call stack of samples with equal chains
 * @node: node in a table, by @key
 * @key: key of the samples
 * @stack: number of the stack
 * @pointed: counts of chains of frame pointers, of one sample
 */
struct known_stack {
	struct hash_node node;
	struct sample_key key;
	uint32_t stack;
	struct pointer_mark pointed;
};

/**
 * struct html_reader - state while a recording is read
 * @html: options
 * @profile: receives the samples
 * @known: stacks that were resolved, by key
 * @chain: call chain of the current sample
 */
struct html_reader {
	const struct report_html *html;
	struct page_profile *profile;
	struct hash_table known;
	struct callchain chain;
};

/*
 * Return true if equal addresses mean equal functions: branches, copied stacks and generated code
 * differ in more than the addresses.
 */
static bool is_of_addresses(const struct session *session, const struct thread *thread,
			    const struct record *record)
{
	const struct event_table *events = data_reader_events(session->reader);
	const uint64_t others = PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
				PERF_SAMPLE_STACK_USER;

	return !thread->process->jit.nr && !thread->process->jit.maps &&
	       !(events->events[record->event].attr.sample_type & others);
}

static struct known_stack *find_known(const struct html_reader *reader,
				      const struct sample_key *key)
{
	struct hash_node *node = hash_table_first(&reader->known, key->low);

	for (; node; node = hash_table_next(node)) {
		struct known_stack *known = hash_entry(node, struct known_stack, node);

		if (known->key.high == key->high)
			return known;
	}
	return NULL;
}

/* Resolve the call chain of a sample. Return: the number of its stack. */
static uint32_t resolve_stack(struct html_reader *reader, struct session *session,
			      struct thread *thread, const struct record *record)
{
	struct machine *machine = &session->machine;
	struct callchain *chain = &reader->chain;
	struct location at;

	machine_resolve(machine, thread, cpu_mode_of(record->misc), record->sample.ip, &at);
	chain->nr = 0;
	callchain_resolve(chain, machine, thread, record);
	report_view_cut(reader->html->view, chain, &at);
	if (!chain->nr)
		return page_profile_add_stack(reader->profile, &at, 1);
	if (chain->nr > FRAMES_MAX) {
		chain->nr = FRAMES_MAX;
		note_samples(1, "have more than 1024 callers; the outermost are not shown", NULL);
	}
	return page_profile_add_stack(reader->profile, chain->frames, chain->nr);
}

/* Return the number of a sample's stack. The stack of an equal sample is resolved once only. */
static uint32_t find_stack(struct html_reader *reader, struct session *session,
			   struct thread *thread, const struct record *record)
{
	struct machine *machine = &session->machine;
	struct pointer_counts before = machine->pointed;
	struct known_stack *known;
	struct sample_key key;

	if (!is_of_addresses(session, thread, record))
		return resolve_stack(reader, session, thread, record);
	key = sample_key_of(machine, thread, record);
	known = find_known(reader, &key);
	if (known) {
		pointer_counts_add(&machine->pointed, known->pointed);
		return known->stack;
	}
	known = xcalloc(1, sizeof(*known));
	known->key = key;
	known->stack = resolve_stack(reader, session, thread, record);
	known->pointed = pointer_counts_since(&machine->pointed, &before);
	hash_table_add(&reader->known, &known->node, key.low);
	return known->stack;
}

static bool is_wanted(const struct html_reader *reader, struct session *session,
		      const struct thread *thread, const struct record *record)
{
	const struct sample_filter *filter = reader->html->filter;
	struct location at;

	if (!sample_filter_wants(filter, record) ||
	    !in_list(reader->html->input->comms, thread->comm) ||
	    !sample_filter_wants_task(filter, record->id.pid, record->id.tid))
		return false;
	if (!filter->symbols && !filter->part && !filter->hide_unresolved)
		return true;
	machine_resolve(&session->machine, thread, cpu_mode_of(record->misc), record->sample.ip,
			&at);
	return sample_filter_wants_symbol(filter, &at) && (at.symbol || !filter->hide_unresolved);
}

/* Note that a page lacks the branches that the report as text would show. */
static void note_branches(const struct html_reader *reader, const struct branch_stack *branches)
{
	if (!reader->html->without_branches && branches->nr && !branches_are_calls(branches->type))
		note_samples(1, "have branch records, which are not in the page",
			     "see them with --stdio, or give --no-branch-stack");
}

static void handle_record(void *context, struct session *session, const struct record *record)
{
	struct html_reader *reader = context;
	struct thread *thread;

	if (record->type != PERF_RECORD_SAMPLE)
		return;
	thread = thread_get(&session->machine.threads, record->id.pid, record->id.tid);
	if (!is_wanted(reader, session, thread, record))
		return;
	note_branches(reader, &record->sample.branches);
	page_profile_add_sample(reader->profile, session, record,
				find_stack(reader, session, thread, record));
}

static void warn_of_samples(const struct session *session, size_t nr)
{
	uint64_t lost = session_lost(session);

	if (!session->nr_samples)
		warn("%s: the recording has no samples", session->path);
	else if (!nr)
		warn("%s: no sample has what the options ask for", session->path);
	if (lost)
		warn("%s: lost %" PRIu64 " samples; record with a lower -F or a larger -m",
		     session->path, lost);
	notes_print(session->nr_samples);
}

/* Add a recording to the profile. Return: the exit status. */
static int read_recording(const struct report_html *html, struct page_profile *profile,
			  const char *path)
{
	static const struct session_handlers handlers = { .record = handle_record };
	struct html_reader reader = { .html = html, .profile = profile };
	struct session session;
	int status;

	html->input->path = path;
	status = input_open(&session, html->input);
	if (status)
		return status;
	html->filter->nr_spans = 0;
	status = sample_filter_start(html->filter, &session);
	if (!status) {
		session.silent = true;
		page_profile_add_recording(profile, &session);
		session_run(&session, &handlers, &reader);
		page_profile_end_recording(profile, &session);
		status = session_complain(&session);
		warn_of_samples(&session,
				profile->recordings[profile->nr_recordings - 1].nr);
	}
	hash_table_free_all(&reader.known, hash_node_free);
	callchain_free(&reader.chain);
	session_close(&session);
	return status;
}

static int write_page(const char *path, const struct page_profile *profile)
{
	struct error err;
	FILE *out;
	bool failed;

	out = open_output_file(path, false, &err);
	if (!out) {
		complain("%s", err.text);
		return EXIT_FAILED;
	}
	page_print(out, profile);
	failed = ferror(out);
	if (fclose(out) || failed) {
		complain("%s: %s", path, strerror(errno));
		return EXIT_FAILED;
	}
	return 0;
}

int report_html(const struct report_html *html)
{
	const char *path = html->input->path;
	struct page_profile profile;
	int status = 0, second;

	page_profile_init(&profile);
	if (html->baseline)
		status = read_recording(html, &profile, html->baseline);
	second = read_recording(html, &profile, path);
	status = status ? status : second;
	/* A damaged recording is shown as far as it was read. */
	if (profile.nr_recordings == (html->baseline ? 2 : 1)) {
		second = write_page(html->path, &profile);
		status = status ? status : second;
	}
	page_profile_free(&profile);
	return status;
}
