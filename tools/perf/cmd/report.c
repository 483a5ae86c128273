// SPDX-License-Identifier: GPL-2.0
/* perf report: a table of the code that the samples of a recording hit. */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/annotate.h"
#include "browse/browse.h"
#include "file/file.h"
#include "report/report.h"
#include "arguments.h"
#include "cmd.h"
#include "drop_in.h"
#include "input_options.h"
#include "option_values.h"
#include "pager.h"
#include "report_html.h"
#include "report_view.h"
#include "report_wall.h"
#include "sample_filter.h"

#define DEFAULT_SORT_ORDER "comm,dso,sym"

enum when {
	WHEN_USEFUL,
	ALWAYS,
	NEVER,
};

/**
 * struct report - options and results of perf report
 * @input: options that choose the recording
 * @filter: options that choose samples
 * @view: options that choose columns, chains and the form of the table
 * @style: style of the output
 * @sort_asked: --sort was given
 * @order: sort keys as text, to be freed; NULL: the default
 * @keys: sort keys of samples
 * @branch_keys: sort keys of branches
 * @keys_used: bit i: at least one event has sort key i
 * @branches: report branches instead of the samples that contain them
 * @branch_history: call chains consist of branches
 * @total_cycles: the blocks between branches are reported
 * @blocks: table of blocks for each event, with @total_cycles
 * @has_branches: some samples have branches
 * @children: choice of adding the samples of functions to the rows of their callers
 * @chains_asked: -g asked for call chains
 * @with_chains: some samples have call chains
 * @group: choice of showing all events in one table
 * @header: print the header of the recording, too
 * @header_only: print only the header
 * @show_tasks: print the tree of tasks instead of samples
 * @html: options of --html
 * @wall: options of --wall
 * @tui: --tui or --stdio was given: always or never browse
 * @browse: open the browser, and print no table
 * @stores: samples of each event, for the browser
 * @tasks: tree of tasks
 * @hists: histogram for each event
 * @nr_hists: number of @hists
 * @has_switches: the recording has context switches of tasks
 * @shown: the filters leave at least one sample, or caller, to show
 * @chain: call chain of the current sample
 * @traces: texts of tracepoint records
 * @refused: name of the event that cannot be reported as asked, or NULL
 * @missing: sort key that @refused lacks; NULL: it lacks some kinds of branches
 */
struct report {
	struct input_options input;
	struct sample_filter filter;
	struct report_view view;
	struct report_style style;
	bool sort_asked;
	char *order;
	struct sort_keys keys;
	struct sort_keys branch_keys;
	unsigned int keys_used;
	enum when branches;
	bool branch_history;
	bool total_cycles;
	struct block_table *blocks;
	bool has_branches;
	enum when children;
	bool chains_asked;
	bool with_chains;
	enum when group;
	bool header;
	bool header_only;
	bool show_tasks;
	struct report_html html;
	struct report_wall wall;
	enum when tui;
	bool browse;
	struct sample_store *stores;
	struct task_tree tasks;
	struct hist *hists;
	size_t nr_hists;
	bool has_switches;
	bool shown;
	struct callchain chain;
	struct intern_table traces;
	const char *refused;
	const char *missing;
};

static bool is_event_called(const char *name, const char *wanted)
{
	const char *colon = strchr(name, ':');
	size_t length = strlen(wanted);

	if (!strncmp(name, wanted, length) && (!name[length] || name[length] == ':'))
		return true;
	return colon && !strchr(wanted, ':') && is_event_called(colon + 1, wanted);
}

static bool event_has_key(const struct session *session, const struct data_event *event,
			  const struct hist *hist, const struct sort_key *key)
{
	if (sort_key_is_of_branches(key))
		return hist->branches;
	if (!strcmp(key->name, "trace"))
		return event_has_trace(&event->attr);
	if (!key->field)
		return true;
	return (!key->event || is_event_called(event->name, key->event)) &&
	       session_has_field(session, &event->attr, key->field);
}

/* Return the sort keys of one event. Keys that the event does not have are left out. */
static const struct sort_keys *keys_of(struct report *report, const struct session *session,
				       const struct data_event *event, const struct hist *hist)
{
	const struct sort_keys *all = hist->branches ? &report->branch_keys : &report->keys;
	struct sort_keys *own = xcalloc(1, sizeof(*own));
	size_t i;

	for (i = 0; i < all->nr; i++) {
		if (!event_has_key(session, event, hist, all->keys[i]))
			continue;
		own->keys[own->nr++] = all->keys[i];
		report->keys_used |= 1U << i;
	}
	return own;
}

/* Return true if the event records branches in the order of execution, not calls. */
static bool event_has_branches(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       !branches_are_calls(attr->branch_sample_type);
}

/*
 * Return true if the event records every taken branch, so that the code between two runs straight.
 */
static bool has_all_branches(const struct perf_event_attr *attr)
{
	return attr->branch_sample_type & PERF_SAMPLE_BRANCH_ANY;
}

/*
 * Return true if samples have a chain to show: callers, or branches with --branch-history. Branches
 * that are reported instead of samples have no chain.
 */
static bool has_chains(const struct report *report, const struct hist *hist,
		       const struct perf_event_attr *attr)
{
	if (report->branch_history)
		return event_has_branches(attr);
	return !hist->branches && attr->sample_type & PERF_SAMPLE_CALLCHAIN;
}

/*
 * Return true if the number of running threads is known: the recording has context switches of
 * tasks. Context switches of CPUs do not tell it, because other tasks cause them, too.
 */
static bool has_task_switches(const struct session *session)
{
	const struct event_table *events = data_reader_events(session->reader);
	bool found = false;
	size_t i;

	for (i = 0; i < events->nr; i++)
		found |= events->events[i].attr.context_switch;
	return found && !session->machine.wide_switches;
}

/*
 * Return the contents of an event's samples that sort keys may need: PERF_SAMPLE_ and SORT_NEEDS_
 * bits.
 */
static uint64_t sample_type_of(const struct report *report, const struct perf_event_attr *attr)
{
	return attr->sample_type | (report->has_switches ? SORT_NEEDS_SWITCHES : 0);
}

static void start_hist(struct report *report, struct hist *hist, const struct session *session,
		       const struct data_event *event)
{
	bool branches = event_has_branches(&event->attr), chains;
	enum chain_order order = report->style.chains.order;
	size_t i;

	report->has_switches = has_task_switches(session);
	memset(hist, 0, sizeof(*hist));
	hist->by_latency = report->style.latency_first;
	hist->branches = branches && report->branches != NEVER && !report->branch_history;
	chains = has_chains(report, hist, &event->attr);
	report->has_branches |= branches;
	report->with_chains |= chains;
	hist->keys = keys_of(report, session, event, hist);
	hist->keys_of_code = sort_keys_are_of_code(hist->keys);
	/* The branches before a sample are not its callers, so they get no share of its period. */
	hist->children = chains && report->children != NEVER && !report->branch_history;
	hist->with_chains = chains && report->style.chains.mode != CHAIN_NONE;
	hist->caller_first = order == ORDER_DEFAULT ? hist->children : order == ORDER_CALLER;
	hist->chains.by_address = report->style.chains.by_address;
	hist->memory_max = report->style.chains.memory / data_reader_events(session->reader)->nr;
	if (report->total_cycles && branches && !has_all_branches(&event->attr))
		report->refused = event->name;
	for (i = 0; i < hist->keys->nr; i++) {
		if (hist->keys->keys[i]->needs & ~sample_type_of(report, &event->attr)) {
			report->refused = event->name;
			report->missing = hist->keys->keys[i]->name;
		}
	}
}

/* In a pipe, an event may be described only right before its first sample. */
static struct hist *get_hist(struct report *report, const struct session *session, size_t event)
{
	const struct event_table *events = data_reader_events(session->reader);

	while (report->nr_hists < events->nr) {
		report->hists = xreallocarray(report->hists, report->nr_hists + 1,
					      sizeof(*report->hists));
		report->blocks = xreallocarray(report->blocks, report->nr_hists + 1,
					       sizeof(*report->blocks));
		memset(&report->blocks[report->nr_hists], 0, sizeof(*report->blocks));
		report->stores = xreallocarray(report->stores, report->nr_hists + 1,
					       sizeof(*report->stores));
		memset(&report->stores[report->nr_hists], 0, sizeof(*report->stores));
		memset(&report->hists[report->nr_hists++], 0, sizeof(*report->hists));
	}
	if (!report->hists[event].keys)
		start_hist(report, &report->hists[event], session, &events->events[event]);
	return &report->hists[event];
}

/* Format the value of @key, "trace" or a field, from a record. Return: the interned text. */
static const char *intern_trace(struct report *report, struct session *session,
				const struct perf_event_attr *attr, const struct record *record,
				const struct sort_key *key)
{
	const char *trace;
	char *text;
	size_t size;
	FILE *out;

	out = open_memstream(&text, &size);
	if (!out)
		die("out of memory");
	if (key->field)
		session_print_field(session, out, attr, record, key->field);
	else
		session_print_trace(session, out, attr, record);
	fclose(out);
	trace = intern(&report->traces, text);
	free(text);
	return trace;
}

/* Fill in the texts that the sort keys need from the record of a tracepoint or of off-cpu. */
static void add_traces(struct report *report, struct session *session, const struct hist *hist,
		       const struct record *record, struct sample_point *point)
{
	const struct perf_event_attr *attr =
		&data_reader_events(session->reader)->events[record->event].attr;
	size_t i;

	for (i = 0; i < hist->keys->nr; i++) {
		const struct sort_key *key = hist->keys->keys[i];

		if (key->field)
			point->fields[key->slot] = intern_trace(report, session, attr, record, key);
		else if (key->needs == PERF_SAMPLE_RAW)
			point->trace = intern_trace(report, session, attr, record, key);
	}
}

/* Note whether a row of the sample, or of one of its callers, is in the report. */
static void note_shown(struct report *report, const struct sample_point *point)
{
	size_t i;

	if (report->shown)
		return;
	report->shown = report_shows_dso(&report->style, point->at.dso);
	for (i = 0; i < report->chain.nr && !report->shown; i++)
		report->shown = report_shows_dso(&report->style, report->chain.frames[i].dso);
}

/* Leave out a sample if a filter excludes all of its rows. */
static void leave_out(const struct report *report, struct hist *hist, const struct record *record,
		      uint32_t running)
{
	if (report->view.relative)
		return;
	if (report->browse)
		samples_add_other(&report->stores[record->event], record->sample.period, running);
	else
		hist_add_other(hist, &record->sample, running);
}

/* Add the branches of a sample, which are reported in its place. */
static void add_branches(struct report *report, struct session *session, struct hist *hist,
			 const struct sample_point *point, const struct thread *thread,
			 const struct record *record)
{
	struct machine *machine = &session->machine;

	report->shown = true;
	if (report->browse) {
		samples_add_branches(&report->stores[record->event], point, machine, thread,
				     record);
		return;
	}
	hist_add_branches(hist, point, machine, thread, record);
	if (report->total_cycles)
		blocks_add(&report->blocks[record->event], machine, thread, record);
}

/* Add a sample if an equal one has been added. Return: true if it was added. */
static bool add_again(struct report *report, struct hist *hist, const struct record_key *key,
		      const struct record *record, struct machine *machine)
{
	uint64_t period = record->sample.period;

	return report->browse ? samples_add_again(&report->stores[record->event], key, period,
						  &machine->pointed) :
				hist_add_again(hist, &key->code, period, &machine->pointed);
}

/*
 * Add a sample. @key is the key of its record, or NULL; @pointed has the counts of only this
 * sample's chain.
 */
static void add_sample(struct report *report, struct hist *hist, const struct sample_point *point,
		       const struct record_key *key, const struct record *record,
		       struct pointer_mark pointed)
{
	struct sample_store *store = &report->stores[record->event];
	uint64_t period = record->sample.period;
	struct kept_sample *kept;

	note_shown(report, point);
	if (report->browse) {
		kept = samples_add(store, point, &report->chain, period);
		if (key)
			samples_note(store, key, kept, pointed);
		return;
	}
	hist_add(hist, point, &report->chain, period);
	if (key)
		hist_note(hist, &key->code, &report->chain, pointed);
}

static bool is_resolved(struct machine *machine, struct thread *thread,
			const struct record *record)
{
	struct location at;

	machine_resolve(machine, thread, cpu_mode_of(record->misc), record->sample.ip, &at);
	return at.symbol;
}

/* Return true if the report needs call chains for more than printing them. */
static bool needs_chain(const struct report *report)
{
	return report->view.exclude_other || sort_keys_have(&report->keys, "parent");
}

/*
 * Return true if equal addresses of a sample make equal rows. Branches, copied stacks and generated
 * code differ in more than the addresses.
 */
static bool is_of_addresses(const struct report *report, const struct session *session,
			    const struct hist *hist, const struct thread *thread,
			    const struct record *record)
{
	const struct event_table *events = data_reader_events(session->reader);
	const uint64_t others = PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
				PERF_SAMPLE_STACK_USER;

	return hist->keys_of_code && !report->branch_history && !thread->process->jit.nr &&
	       !thread->process->jit.maps &&
	       !(events->events[record->event].attr.sample_type & others);
}

static void handle_record(void *context, struct session *session, const struct record *record)
{
	struct machine *machine = &session->machine;
	struct report *report = context;
	struct pointer_counts before = machine->pointed;
	struct sample_point point = { 0 };
	struct record_key key = { .record = record };
	const uint32_t running = machine_running(machine);
	struct thread *thread;
	bool of_addresses;
	struct hist *hist;

	if (record->type != PERF_RECORD_SAMPLE)
		return;
	hist = get_hist(report, session, record->event);
	if (report->refused || !sample_filter_wants(&report->filter, record))
		return;
	thread = thread_get(&machine->threads, record->id.pid, record->id.tid);
	if (report->filter.hide_unresolved && !is_resolved(machine, thread, record))
		return;
	if (!in_list(report->input.comms, thread->comm) ||
	    !sample_filter_wants_task(&report->filter, record->id.pid, record->id.tid) ||
	    !report_view_wants_level(&report->view, running)) {
		leave_out(report, hist, record, running);
		return;
	}
	of_addresses = is_of_addresses(report, session, hist, thread, record);
	if (of_addresses) {
		key.code = sample_key_of(machine, thread, record);
		if (add_again(report, hist, &key, record, machine))
			return;
	}
	sample_point_start(&point, machine, thread, record);
	add_traces(report, session, hist, record, &point);
	if (hist->branches) {
		add_branches(report, session, hist, &point, thread, record);
		return;
	}
	machine_resolve(machine, thread, cpu_mode_of(record->misc), record->sample.ip, &point.at);
	if (!sample_filter_wants_symbol(&report->filter, &point.at) ||
	    (report->view.relative && !report_shows_dso(&report->style, point.at.dso))) {
		leave_out(report, hist, record, running);
		return;
	}
	report->chain.nr = 0;
	if (report->branch_history && hist->with_chains)
		callchain_of_branches(&report->chain, machine, thread, record);
	else if (hist->children || hist->with_chains || needs_chain(report))
		callchain_resolve(&report->chain, machine, thread, record);
	report_view_cut(&report->view, &report->chain, &point.at);
	if (needs_chain(report))
		point.parent = report_view_parent(&report->view, &report->chain);
	if (!point.parent && report->view.exclude_other) {
		leave_out(report, hist, record, running);
		return;
	}
	if (point.parent)
		point.parent = intern(&report->traces, point.parent);
	add_sample(report, hist, &point, of_addresses ? &key : NULL, record,
		   pointer_counts_since(&machine->pointed, &before));
}

static void print_filter(const char *what, const char *list)
{
	if (!list)
		return;
	printf("# %s: ", what);
	fput_name(list, stdout);
	puts("\n#");
}

/* Print the names, samples and periods of an event, or of the events of a group. */
static void print_events(const struct hist *hists, const struct data_event *events, size_t nr)
{
	uint64_t nr_samples = 0, period = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		nr_samples += hists[i].nr_samples;
		period += hists[i].period;
	}
	fputs("# Samples: ", stdout);
	report_count(stdout, nr_samples);
	fputs(nr > 1 ? " of events 'anon group { " : " of event '", stdout);
	for (i = 0; i < nr; i++) {
		fputs(i ? ", " : "", stdout);
		fput_name(events[i].name, stdout);
	}
	printf("%s'\n# Event count (approx.): %" PRIu64 "\n#\n", nr > 1 ? " }" : "", period);
}

static bool has_groups(const struct event_table *events)
{
	size_t i;

	for (i = 0; i < events->nr; i++) {
		if (events->events[i].group)
			return true;
	}
	return false;
}

/* Return true if the samples of the second event, if any, have the sort keys of the first. */
static bool share_keys(const struct hist *a, const struct hist *b)
{
	if (!b->nr_samples)
		return true;
	return a->keys->nr == b->keys->nr &&
	       !memcmp(a->keys->keys, b->keys->keys, a->keys->nr * sizeof(a->keys->keys[0]));
}

/*
 * Return the number of events that are shown in one table: those of the group that begins at
 * @first, or all with --group if no events are a group. The table ends before an event with other
 * sort keys.
 */
static size_t nr_shown_together(const struct report *report, const struct event_table *events,
				size_t first)
{
	bool forced = report->group == ALWAYS && !has_groups(events);
	uint32_t group = events->events[first].group;
	const struct hist *with_samples = NULL;
	size_t i;

	if (report->group == NEVER || report->style.hierarchy || report->style.latency_first ||
	    (!group && !forced))
		return 1;
	for (i = first; i < report->nr_hists; i++) {
		if (!forced && events->events[i].group != group)
			break;
		if (with_samples && !share_keys(with_samples, &report->hists[i]))
			break;
		if (!with_samples && report->hists[i].nr_samples)
			with_samples = &report->hists[i];
	}
	return i - first;
}

static bool has_samples(const struct hist *hists, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (hists[i].nr_samples)
			return true;
	}
	return false;
}

static void print_hists(const struct report *report, struct session *session)
{
	const struct event_table *events = data_reader_events(session->reader);
	size_t i, nr;

	if (!report->view.quiet) {
		print_filter("comm", report->input.comms);
		print_filter("dso", report->style.dsos);
		printf("#\n# Total Lost Samples: %" PRIu64 "\n#\n", session_lost(session));
	}
	for (i = 0; i < report->nr_hists; i += nr) {
		const struct hist *hist = &report->hists[i];

		nr = report->total_cycles ? 1 : nr_shown_together(report, events, i);
		if (!has_samples(hist, nr) || (report->total_cycles && !hist->branches))
			continue;
		if (!report->view.quiet)
			print_events(hist, &events->events[i], nr);
		if (report->total_cycles)
			report_blocks(stdout, &report->style, &report->blocks[i]);
		else
			report_hist(stdout, &report->style, hist, nr);
		fputs("\n\n", stdout);
	}
}

static void handle_task_record(void *context, struct session *session,
			       const struct record *record)
{
	struct report *report = context;

	(void)session;
	task_tree_apply(&report->tasks, record);
}

/* Return: a sort key that none of the events with samples has, or NULL. */
static const char *unused_key(const struct report *report, const struct session *session)
{
	size_t i;

	if (!report->sort_asked)
		return NULL;
	for (i = 0; session->nr_samples && report->nr_hists && i < report->keys.nr; i++) {
		if (!(report->keys_used & 1U << i))
			return report->keys.keys[i]->name;
	}
	return NULL;
}

static void run_tasks(struct report *report, struct session *session)
{
	static const struct session_handlers handlers = { .record = handle_task_record };

	session_run(session, &handlers, report);
	task_tree_link(&report->tasks);
	report_tasks(stdout, &report->tasks);
}

/* Open the browser. Return: the exit status. */
static int run_browser(const struct report *report, const struct session *session)
{
	struct code_style code = { .listing.texts.root = report->input.sources.symfs };
	const struct event_table *events = data_reader_events(session->reader);
	struct browse_event *own = xcalloc(report->nr_hists + 1, sizeof(*own));
	struct browse_input input = {
		.path = report->input.path, .events = own, .style = &report->style,
		.relative = report->view.relative, .lost = session_lost(session),
		.machine = &session->machine, .code = &code,
	};
	size_t i;
	int status;

	for (i = 0; i < report->nr_hists; i++) {
		const struct hist *hist = &report->hists[i];

		if (!report->stores[i].nr_samples)
			continue;
		own[input.nr_events++] = (struct browse_event){
			.name = escape_name(events->events[i].name),
			.samples = &report->stores[i],
			.keys = hist->keys,
			.sample_type = sample_type_of(report, &events->events[i].attr),
			.branches = hist->branches,
			.chains = hist->with_chains,
			.children = hist->children,
		};
	}
	status = input.nr_events ? browse(&input) : 0;
	for (i = 0; i < input.nr_events; i++)
		free(own[i].name);
	free(own);
	source_texts_free(&code.listing.texts);
	return status;
}

/* Return true if an option needs the number of running threads, which is not known. */
static bool lacks_switches(const struct report *report, const struct session *session)
{
	const bool asked = report->style.with_latency || report->view.levels.nr;

	return asked && session->nr_samples && !has_task_switches(session);
}

/* Show latencies by default where the recording has them, as the kernel's perf does. */
static void choose_latency(struct report *report, const struct session *session)
{
	if (!report->style.chosen_columns && has_task_switches(session))
		report->style.with_latency = true;
}

/* Print a report. The pager, if there is one, starts when there is something to print. */
static void run(struct report *report, struct session *session, struct pager *pager)
{
	static const struct session_handlers handlers = { .record = handle_record };
	const bool reads_first = !report->header_only && !report->show_tasks && !report->view.stats;
	size_t i;

	if (reads_first) {
		session->silent = true;
		session_run(session, &handlers, report);
		for (i = 0; i < report->nr_hists; i++)
			hist_settle(&report->hists[i]);
		choose_latency(report, session);
	}
	if (report->browse)
		return;
	pager_start(pager);
	if (report->header || report->header_only)
		report_header(stdout, session);
	if (report->header_only)
		return;
	if (report->show_tasks) {
		run_tasks(report, session);
		return;
	}
	if (report->view.stats) {
		count_session(session);
		return;
	}
	if (report->refused || !session->nr_samples || unused_key(report, session) ||
	    lacks_switches(report, session))
		return;
	if (!report->header && !report->view.quiet)
		puts("# To display the header of the recording: --header, --header-only\n#");
	print_hists(report, session);
}

/* Return true if there are branches, but none has a cycle count. */
static bool has_no_cycles(const struct report *report)
{
	uint64_t cycles = 0;
	size_t i;

	for (i = 0; i < report->nr_hists; i++)
		cycles += report->blocks[i].cycles;
	return report->total_cycles && report->has_branches && !cycles;
}

/* Return true if the rare chains of an event were not kept. */
static bool has_folded(const struct report *report)
{
	bool folded = false;
	size_t i;

	for (i = 0; i < report->nr_hists; i++)
		folded |= report->hists[i].folded;
	return folded;
}

/* Print the warnings after the report. Return: the exit status. */
static int print_warnings(const struct report *report, const struct session *session)
{
	struct error err;
	uint64_t lost = session_lost(session);
	const char *key;
	int status;

	status = session_complain_of_damage(session);
	if (report->header_only || report->view.stats) {
		session_warn(session);
		return status;
	}
	if (report->refused && !report->missing) {
		complain("samples of '%s' lack some branches, so blocks are incomplete; use record -b",
			 report->refused);
		return EXIT_FAILED;
	}
	if (lacks_switches(report, session) ||
	    (report->refused && !strcmp(report->missing, "parallelism"))) {
		complain("%s: the recording does not say how many threads were running; record the threads with --latency",
			 report->input.path);
		return EXIT_FAILED;
	}
	if (report->refused) {
		complain("samples of '%s' cannot be sorted by '%s'; choose other keys",
			 report->refused, report->missing);
		return EXIT_FAILED;
	}
	key = unused_key(report, session);
	if (key) {
		error_set(&err, "--sort %s: no event here has this key", key);
		sort_keys_suggest(key, ", and fields of the events", &err);
		complain("%s", err.text);
		return EXIT_FAILED;
	}
	if ((report->branches == ALWAYS || report->branch_history || report->total_cycles) &&
	    session->nr_samples && !report->has_branches) {
		complain("%s: the samples have no branches; record them with -b",
			 report->input.path);
		return EXIT_FAILED;
	}
	session_warn(session);
	if (report->view.quiet)
		return status;
	if (has_no_cycles(report))
		warn("%s: the branches have no cycles; the PMU did not count them, or was not asked to",
		     report->input.path);
	if (session->nr_samples && !report->shown && !report->show_tasks && !report->input.dump)
		warn("%s: no sample has what the options ask for, so the report is empty",
		     report->input.path);
	if (report->chains_asked && session->nr_samples && !report->with_chains)
		warn("%s: the samples have no call chains; record them with -g",
		     report->input.path);
	if (!session->nr_samples && !report->input.dump && !report->show_tasks)
		warn("%s: the recording has no samples", report->input.path);
	if (has_folded(report))
		warn("%s: call chains need more than %zu MB, so only the sums of rare ones are shown; --chain-memory gives more",
		     report->input.path, report->style.chains.memory >> 20);
	if (lost)
		warn("%s: lost %" PRIu64 " samples; record with a lower -F or a larger -m",
		     report->input.path, lost);
	notes_print(session->nr_samples);
	return status;
}

enum {
	OPTION_STDIO = 0x100,
	OPTION_TUI,
	OPTION_CHILDREN,
	OPTION_NO_CHILDREN,
	OPTION_HEADER,
	OPTION_HEADER_ONLY,
	OPTION_PERCENT_LIMIT,
	OPTION_TASKS,
	OPTION_NO_BRANCH_STACK,
	OPTION_BRANCH_HISTORY,
	OPTION_TOTAL_CYCLES,
	OPTION_HTML,
	OPTION_BASELINE,
	OPTION_WALL,
	OPTION_CRITICAL_PATH,
	OPTION_GROUP,
	OPTION_NO_GROUP,
};

static const struct argp_option option_table[] = {
	{ "stdio", OPTION_STDIO, NULL, 0,
	  "Print to the standard output (default where that is no terminal)", 0 },
	{ "tui", OPTION_TUI, NULL, 0, "Browse on the terminal (default on a terminal)", 0 },
	{ "sort", 's', "KEY[,KEY...]", 0,
	  "By " SORT_KEY_NAMES ", or fields of tracepoints (" DEFAULT_SORT_ORDER ", branches "
	  BRANCH_SORT_ORDER ")", 0 },
	{ "children", OPTION_CHILDREN, NULL, 0,
	  "Add the share of callees to their callers (default with call chains)", 0 },
	{ "no-children", OPTION_NO_CHILDREN, NULL, 0, "Do not add it", 0 },
	{ "branch-stack", 'b', NULL, 0,
	  "Show branches, not samples (default where samples have them)", 0 },
	{ "no-branch-stack", OPTION_NO_BRANCH_STACK, NULL, 0, "Show samples, not branches", 0 },
	{ "branch-history", OPTION_BRANCH_HISTORY, NULL, 0,
	  "Show samples, with their branches as call chains", 0 },
	{ "total-cycles", OPTION_TOTAL_CYCLES, NULL, 0,
	  "Show the cycles spent in each block between two branches", 0 },
	{ "group", OPTION_GROUP, NULL, 0,
	  "Show the events of a group in one table (default), or all events without a group", 0 },
	{ "no-group", OPTION_NO_GROUP, NULL, 0, "Show each event in a table of its own", 0 },
	{ "call-graph", 'g', "STYLE", 0,
	  "How call chains are shown (graph,0.5,caller)", 0 },
	{ "dsos", 'd', "NAME[,NAME...]", 0, "Only rows of these programs and libraries", 0 },
	{ "dso", 'd', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0 },
	{ "show-nr-samples", 'n', NULL, 0, "Show the number of samples of each row", 0 },
	{ "field-separator", 't', "CHARACTER", 0,
	  "Put this between columns and do not pad them", 0 },
	{ "percent-limit", OPTION_PERCENT_LIMIT, "PERCENT", 0, "Leave out smaller rows", 0 },
	{ "header", OPTION_HEADER, NULL, 0, "Also print the header of the recording", 0 },
	{ "header-only", OPTION_HEADER_ONLY, NULL, 0, "Print only the header", 0 },
	{ "html", OPTION_HTML, "FILE", 0,
	  "Write flame graphs, a table and a timeline to FILE, a page for a browser", 0 },
	{ "baseline", OPTION_BASELINE, "FILE", 0,
	  "With --html, compare with this earlier recording", 0 },
	{ "wall", OPTION_WALL, NULL, 0,
	  "Show the time that passed for each thread, on and off the CPU (record with --wall)", 0 },
	{ "critical-path", OPTION_CRITICAL_PATH, NULL, 0,
	  "With --wall, show what the thread that lived longest waited for, back from its end", 0 },
	{ "tasks", OPTION_TASKS, NULL, 0,
	  "Print the tree of tasks and how long each lived, and no samples", 0 },
	{ 0 }
};

static double parse_percent(struct argp_state *state, const char *arg)
{
	char *end;
	double percent = strtod(arg, &end);

	if (end == arg || *end || !(percent >= 0 && percent <= 100))
		argp_error(state, "--percent-limit: '%s' is not a percentage", arg);
	return percent;
}

/* Sort by a list of keys, which the report frees. An empty list stands for the default. */
static void set_keys(struct argp_state *state, struct report *report, char *list)
{
	struct error err;

	if (!*list) {
		free(list);
		return;
	}
	report->sort_asked = true;
	sort_keys_free(&report->keys);
	free(report->order);
	report->order = list;
	report->style.sort_order = list;
	if (sort_keys_parse_fields(&report->keys, list, &err))
		argp_error(state, "--sort: %s", err.text);
	report->branch_keys = report->keys;
}

/* Apply -F, which may add keys, or replace them if --sort was not given; and the key of -p. */
static void add_fields(struct argp_state *state, struct report *report)
{
	const char *fields = report->view.fields;
	const char *before = report->style.sort_order ?: DEFAULT_SORT_ORDER;
	bool add = fields && *fields == '+';
	char *keys;

	if (fields) {
		report->style.chosen_columns = !add;
		keys = report_take_numbers(&report->style, fields + add);
		if (!add && !report->sort_asked)
			set_keys(state, report, xstrdup(keys));
		else if (add && *keys)
			set_keys(state, report, xasprintf("%s,%s", before, keys));
		free(keys);
		/* An added column comes after the default columns. */
		report->style.latency_first &= !add;
	}
	if (report->view.latency) {
		report->style.with_latency |= !report->style.chosen_columns;
		report->style.latency_first = true;
	}
	if (report->view.has_parent && !sort_keys_have(&report->keys, "parent")) {
		before = report->style.sort_order ?: DEFAULT_SORT_ORDER;
		set_keys(state, report, xasprintf("%s,parent", before));
	}
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct report *report = state->input;
	struct error err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &report->input;
		state->child_inputs[1] = &report->filter;
		state->child_inputs[2] = &report->view;
		return 0;
	case ARGP_KEY_END:
		add_fields(state, report);
		return 0;
	case OPTION_STDIO:
		report->tui = NEVER;
		return 0;
	case OPTION_TUI:
		report->tui = ALWAYS;
		return 0;
	case 's':
		set_keys(state, report, report_take_numbers(&report->style, arg));
		report->style.chosen_columns |= report->style.with_latency ||
						report->style.with_overhead;
		return 0;
	case 'b':
		report->branches = ALWAYS;
		return 0;
	case OPTION_NO_BRANCH_STACK:
		report->branches = NEVER;
		return 0;
	case OPTION_TOTAL_CYCLES:
		report->total_cycles = true;
		return 0;
	case OPTION_BRANCH_HISTORY:
		report->branch_history = true;
		report->style.chains.by_address = true;
		return 0;
	case OPTION_CHILDREN:
		report->children = ALWAYS;
		return 0;
	case OPTION_NO_CHILDREN:
		report->children = NEVER;
		return 0;
	case OPTION_GROUP:
		report->group = ALWAYS;
		return 0;
	case OPTION_NO_GROUP:
		report->group = NEVER;
		return 0;
	case 'g':
		if (chain_style_parse(&report->style.chains, arg, &err))
			argp_error(state, "%s", err.text);
		report->chains_asked = report->style.chains.mode != CHAIN_NONE;
		return 0;
	case 'd':
		report->style.dsos = arg;
		return 0;
	case 'n':
		report->style.with_counts = true;
		return 0;
	case 't':
		report->style.separator = parse_separator(state, arg);
		return 0;
	case OPTION_PERCENT_LIMIT:
		report->style.min_percent = parse_percent(state, arg);
		return 0;
	case OPTION_HEADER:
		report->header = true;
		return 0;
	case OPTION_HEADER_ONLY:
		report->header_only = true;
		return 0;
	case OPTION_TASKS:
		report->show_tasks = true;
		return 0;
	case OPTION_HTML:
		report->html.path = arg;
		return 0;
	case OPTION_BASELINE:
		report->html.baseline = arg;
		return 0;
	case OPTION_WALL:
		report->wall.asked = true;
		return 0;
	case OPTION_CRITICAL_PATH:
		report->wall.path = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Choose the sort keys if --sort was not given. */
static void set_default_keys(struct report *report)
{
	const char *order = report->branch_history ? "sym,dso" : DEFAULT_SORT_ORDER;
	struct error err;

	if (report->sort_asked)
		return;
	report->style.sort_order = order;
	sort_keys_parse(&report->keys, order, &err);
	sort_keys_parse(&report->branch_keys, BRANCH_SORT_ORDER, &err);
}

/* Return true if an option wants something other than the samples. */
static bool shows_no_samples(const struct report *report)
{
	return report->show_tasks || report->header_only || report->view.stats ||
	       report->input.dump;
}

static bool shows_branches(const struct report *report)
{
	return report->branches == ALWAYS || report->branch_history || report->total_cycles;
}

static const char *refuse_html(const struct report *report)
{
	if (!report->html.path)
		return report->html.baseline ? "--baseline needs --html FILE" : NULL;
	if (shows_no_samples(report))
		return "--html shows samples; leave out --tasks, --header-only, --stats and -D";
	if (shows_branches(report))
		return "--html shows no branches; leave out -b, --branch-history, --total-cycles";
	if (report->view.latency || report->view.levels.nr)
		return "--html shows no latencies; leave out --latency and --parallelism";
	if (report->style.dsos || report->view.exclude_other)
		return "--html shows all functions of a sample; leave out -d and -x";
	return NULL;
}

static const char *refuse_wall(const struct report *report)
{
	const struct sample_filter *filter = &report->filter;

	if (!report->wall.asked)
		return report->wall.path ? "--critical-path needs --wall" : NULL;
	if (report->wall.path && report->sort_asked)
		return "--critical-path shows the parts of a path in order; leave out --sort";
	if (report->html.path || shows_no_samples(report) || report->tui == ALWAYS)
		return "--wall prints tables; leave out --html, --tui, --tasks, --stats and -D";
	if (shows_branches(report))
		return "--wall shows no branches; leave out -b, --branch-history, --total-cycles";
	if (report->children == ALWAYS || report->view.latency || report->view.levels.nr)
		return "--wall shows moments once; leave out --children, --latency, --parallelism";
	if (filter->time || filter->cpus.nr || filter->symbols || filter->part ||
	    filter->hide_unresolved || report->style.dsos || report->view.exclude_other)
		return "--wall shows all the time of a thread; choose by --pid, --tid, --comms";
	return NULL;
}

static const char *refuse_options(const struct report *report)
{
	const char *refusal = refuse_html(report) ?: refuse_wall(report);

	if (refusal)
		return refusal;
	if (report->show_tasks && report->input.comms)
		return "--tasks shows every task; leave out --comms";
	if (report->branches == ALWAYS && report->branch_history)
		return "-b shows branches, --branch-history shows samples; give one of them";
	if (report->total_cycles && (report->branches == NEVER || report->branch_history))
		return "--total-cycles needs branches, the other option shows samples; give one";
	return NULL;
}

/*
 * Decide whether the browser opens: on a terminal, if the options ask for nothing that it cannot
 * show. Return: 0, or an exit status if --tui asks for a browser that cannot open.
 */
static int choose_browser(struct report *report)
{
	enum chain_mode mode = report->style.chains.mode;
	bool table = !shows_no_samples(report) && !report->total_cycles && !report->header &&
		     !report->style.separator && !report->style.hierarchy && !report->view.quiet &&
		     mode != CHAIN_FLAT && mode != CHAIN_FOLDED;
	struct error err;

	/* In a pipe, --tui prints the table, as in the kernel's perf. */
	if (report->tui == NEVER || (report->tui == WHEN_USEFUL && !table) ||
	    !isatty(STDOUT_FILENO))
		return 0;
	if (!table) {
		complain("--tui browses samples; leave out --tasks, --header, --header-only, --stats, --total-cycles, --hierarchy, -g flat, -g folded, -D, -q and -t");
		return EXIT_USAGE;
	}
	report->browse = browse_can_open(&err);
	if (report->browse || report->tui == WHEN_USEFUL)
		return 0;
	complain("--tui: %s; use --stdio", err.text);
	return EXIT_FAILED;
}

/* Hide a column that a filter reduces to one value. */
static void hide_filtered(struct report *report)
{
	struct error err;

	if (report->input.comms && !strchr(report->input.comms, ','))
		sort_keys_parse(&report->style.hidden, "comm", &err);
	else if (report->style.dsos && !strchr(report->style.dsos, ','))
		sort_keys_parse(&report->style.hidden, "dso", &err);
}

/*
 * In the kernel's perf, -g needs no argument if it is the last one or an option follows. argp
 * has no such options, so complete it here.
 */
static void complete_call_graph(int argc, char **argv)
{
	static char complete[32] = "--call-graph=graph";
	int i;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-g") && strcmp(argv[i], "--call-graph"))
			continue;
		if (i + 1 == argc || argv[i + 1][0] == '-')
			argv[i] = complete;
	}
}

static void report_free(struct report *report)
{
	size_t i;

	for (i = 0; i < report->nr_hists; i++) {
		free((struct sort_keys *)report->hists[i].keys);
		hist_free(&report->hists[i]);
		blocks_free(&report->blocks[i]);
		samples_free(&report->stores[i]);
	}
	free(report->stores);
	free(report->blocks);
	free(report->hists);
	sort_keys_free(&report->keys);
	task_tree_free(&report->tasks);
	callchain_free(&report->chain);
	intern_free(&report->traces);
	sample_filter_free(&report->filter);
	report_view_free(&report->view);
	free(report->order);
}

static int run_wall(struct report *report)
{
	report->style.with_periods |= !report->style.chosen_columns;
	if (report->sort_asked)
		report->wall.keys = &report->keys;
	else
		report->style.sort_order = REPORT_WALL_KEYS;
	return report_wall(&report->wall);
}

/**
 * cmd_report - perf report
 * @argc: number of strings in @argv
 * @argv: "perf report" and its arguments
 *
 * Return: the exit status.
 */
int cmd_report(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &input_argp, 0, NULL, 0 },
		{ &sample_filter_argp, 0, NULL, 0 },
		{ &report_view_argp, 0, NULL, 0 },
		{ &report_drop_in, 0, NULL, 0 },
		{ 0 }
	};
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.doc = "Show which code the samples of a recording hit.",
		.children = children,
	};
	struct report report = {
		.style = { .chains = CHAIN_STYLE_DEFAULT },
		.view = { .style = &report.style },
		.html = {
			.input = &report.input,
			.filter = &report.filter,
			.view = &report.view,
		},
		.wall = {
			.input = &report.input,
			.filter = &report.filter,
			.view = &report.view,
		},
	};
	struct session session;
	const char *refusal;
	struct pager pager;
	int status, browsed = 0;

	complete_call_graph(argc, argv);
	parse_arguments(&argp, argc, argv, 0, &report);
	set_default_keys(&report);
	hide_filtered(&report);
	refusal = refuse_options(&report);
	if (refusal) {
		complain("%s", refusal);
		report_free(&report);
		return EXIT_USAGE;
	}
	if (report.html.path) {
		report.html.without_branches = report.branches == NEVER;
		status = report_html(&report.html);
		report_free(&report);
		return status;
	}
	if (report.wall.asked) {
		status = run_wall(&report);
		report_free(&report);
		return status;
	}
	status = choose_browser(&report);
	if (!status)
		status = input_open(&session, &report.input);
	if (status) {
		report_free(&report);
		return status;
	}
	report.style.verbose = report.input.verbose;
	status = sample_filter_start(&report.filter, &session);
	if (status) {
		report_free(&report);
		session_close(&session);
		return status;
	}
	if (report.input.dump) {
		pager_start(&pager);
		dump_session(&session);
	} else {
		run(&report, &session, &pager);
	}
	if (report.browse && !report.refused && session.nr_samples &&
	    !lacks_switches(&report, &session) &&
	    !unused_key(&report, &session))
		browsed = run_browser(&report, &session);
	status = print_warnings(&report, &session);
	if (!status)
		status = browsed;
	if (!report.browse)
		pager_end(&pager);
	report_free(&report);
	session_close(&session);
	return status;
}
