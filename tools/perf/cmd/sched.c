// SPDX-License-Identifier: GPL-2.0
/* perf sched: record the scheduler's tracepoints, and show how long tasks waited for a CPU. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "sched/sched.h"
#include "arguments.h"
#include "cmd.h"
#include "drop_in.h"
#include "input_options.h"
#include "option_values.h"
#include "pager.h"
#include "sample_filter.h"

/**
 * struct sched - options and results of perf sched
 * @input: options that choose the recording
 * @by_task: print a row for each task
 * @order: order of the rows of perf sched latency
 * @latency: tasks, for perf sched latency
 * @timehist: tasks, for perf sched timehist
 * @map: CPUs, for perf sched map
 * @filter: lines that perf sched timehist prints, or events that perf sched latency uses
 * @prios: priorities of the tasks whose lines perf sched timehist prints; empty: all
 * @add: function that adds an event to @latency, @timehist or @map
 * @nr_switches: number of context switches
 * @nr_bad: number of events without the expected fields
 * @prepared: the list of the recording's events has been checked
 */
struct sched {
	struct input_options input;
	bool by_task;
	enum latency_order order;
	struct latency_table latency;
	struct timehist timehist;
	struct sched_map map;
	struct sample_filter filter;
	struct int_list prios;
	void (*add)(struct sched *sched, const struct sched_event *event);
	uint64_t nr_switches;
	uint64_t nr_bad;
	bool prepared;
};

/* The events that show which tasks wait for a CPU. */
static const char *const recorded[] = {
	"sched:sched_switch", "sched:sched_stat_runtime", "sched:sched_waking",
	"sched:sched_wakeup", "sched:sched_wakeup_new", "sched:sched_migrate_task",
	"sched:sched_process_fork",
};

/*
 * Run "perf record -a" with the events of the scheduler and the arguments of "perf sched record".
 */
static int sched_record(int argc, char **argv)
{
	size_t nr = ARRAY_SIZE(recorded), i;
	char **args = xcalloc(2 + 2 * nr + argc, sizeof(*args));
	int n = 0, status;

	args[n++] = "perf record";
	args[n++] = "-a";
	for (i = 0; i < nr; i++) {
		args[n++] = "-e";
		args[n++] = (char *)recorded[i];
	}
	for (i = 1; i < (size_t)argc; i++)
		args[n++] = argv[i];
	status = cmd_record(n, args);
	free(args);
	return status;
}

static void add_to_latency(struct sched *sched, const struct sched_event *event)
{
	latency_table_add(&sched->latency, event);
}

static void add_to_timehist(struct sched *sched, const struct sched_event *event)
{
	timehist_add(&sched->timehist, stdout, event);
}

static void add_to_map(struct sched *sched, const struct sched_event *event)
{
	sched_map_add(&sched->map, stdout, event);
}

static void prepare(struct sched *sched, const struct session *session)
{
	const struct event_table *events = data_reader_events(session->reader);
	size_t i;

	sched->prepared = true;
	for (i = 0; i < events->nr; i++) {
		if (sched_kind_of(events->events[i].name) == SCHED_WAKING)
			sched->timehist.has_waking = true;
	}
	sched->latency.has_waking = sched->timehist.has_waking;
	sched_map_add_cpus(&sched->map, data_reader_features(session->reader)->cpus_configured);
	if (sched->add == add_to_timehist)
		timehist_print_head(&sched->timehist, stdout);
}

static void handle_record(void *context, struct session *session, const struct record *record)
{
	const struct event_table *events = data_reader_events(session->reader);
	const struct data_event *data = &events->events[record->event];
	struct sched *sched = context;
	struct sched_event event;
	struct thread *thread;

	if (record->type == PERF_RECORD_FORK && sched->timehist.with_summary)
		run_summary_fork(&sched->timehist.summary, record->task.tid, record->task.ppid);
	if (record->type == PERF_RECORD_COMM)
		sched_map_rename(&sched->map, record->comm.tid);
	if (record->type != PERF_RECORD_SAMPLE || data->attr.type != PERF_TYPE_TRACEPOINT ||
	    sched_kind_of(data->name) == SCHED_OTHER)
		return;
	if (!sched->prepared)
		prepare(sched, session);
	thread = thread_get(&session->machine.threads, record->id.pid, record->id.tid);
	if (sched_event_decode(&event, data_reader_features(session->reader)->tracing, data->name,
			       &data->attr, record, thread->comm)) {
		sched->nr_bad++;
		return;
	}
	sched->timehist.hide = !sample_filter_wants(&sched->filter, record) ||
			       !sample_filter_wants_task(&sched->filter, event.pid,
							 event.task.tid) ||
			       (sched->prios.nr && !int_list_has(&sched->prios, event.prio));
	sched->latency.hide = sched->timehist.hide;
	sched->nr_switches += event.kind == SCHED_SWITCH;
	sched->add(sched, &event);
}

/* Warn of events that the recording lacks, and of malformed ones. Return: the exit status. */
static int check(const struct sched *sched, const struct session *session)
{
	if (sched->nr_bad)
		complain("%s: %llu scheduler events lack expected fields and are left out",
			 session->path, (unsigned long long)sched->nr_bad);
	if (sched->nr_switches && sched->timehist.with_wakeups && !sched->timehist.has_waking) {
		complain("%s: -w: the recording lacks sched:sched_waking, which says which task woke which",
			 session->path);
		return EXIT_FAILED;
	}
	if (sched->nr_switches)
		return 0;
	complain("%s: the recording lacks sched:sched_switch; make one with: perf sched record",
		 session->path);
	return EXIT_FAILED;
}

static int show(struct sched *sched)
{
	static const struct session_handlers handlers = { .record = handle_record };
	struct session session;
	struct pager pager;
	int status, complaint;

	status = input_open(&session, &sched->input);
	if (status)
		return status;
	status = sample_filter_start(&sched->filter, &session);
	if (status) {
		session_close(&session);
		return status;
	}
	/* The table of latency comes at the end, other lines come while the recording is read. */
	session.silent = sched->add == add_to_latency;
	if (!session.silent)
		pager_start(&pager);
	session_run(&session, &handlers, sched);
	if (session.silent)
		pager_start(&pager);
	if (sched->add == add_to_latency && sched->nr_switches)
		latency_table_print(&sched->latency, stdout, sched->by_task, sched->order);
	if (sched->timehist.with_summary && sched->nr_switches)
		run_summary_print(&sched->timehist.summary, stdout,
				  data_reader_features(session.reader)->cpus_configured);
	complaint = check(sched, &session);
	status = session_complain(&session);
	pager_end(&pager);
	session_close(&session);
	latency_table_free(&sched->latency);
	timehist_free(&sched->timehist);
	sched_map_free(&sched->map);
	sample_filter_free(&sched->filter);
	int_list_free(&sched->prios);
	return status ? status : complaint;
}

enum {
	OPTION_STATE = 0x100, OPTION_TIME, OPTION_CPUS, OPTION_COMPACT, OPTION_PRIO,
	OPTION_SHOW_PRIO, OPTION_TASK_NAME, OPTION_FUZZY_NAME,
};

#define TIME_TEXT "of this time: START,STOP in seconds, 10%-20%, or 10%/2"

static const struct argp_option latency_options[] = {
	{ "CPU", 'C', "CPU", 0, "Only events of these CPUs: 0,2-3", 0 },
	{ "time", OPTION_TIME, "SPAN", 0, "Only events " TIME_TEXT, 0 },
	{ "pids", 'p', NULL, 0, "A row for each task, not one for all tasks of a name", 0 },
	{ "sort", 's', "KEY", 0,
	  "Sort rows by avg (default), max, switch or runtime, the largest first", 0 },
	{ 0 }
};

static enum latency_order parse_order(struct argp_state *state, const char *arg)
{
	static const char *const names[] = {
		[LATENCY_BY_AVERAGE] = "avg",
		[LATENCY_BY_MAX] = "max",
		[LATENCY_BY_SWITCHES] = "switch",
		[LATENCY_BY_RUNTIME] = "runtime",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(arg, names[i]))
			return i;
	}
	argp_error(state, "-s: unknown key '%s'; use avg, max, switch or runtime", arg);
	return LATENCY_BY_AVERAGE;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct sched *sched = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &sched->input;
		return 0;
	case 'p':
		sched->by_task = true;
		return 0;
	case 'w':
		sched->timehist.with_wakeups = true;
		return 0;
	case 's':
		sched->order = parse_order(state, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Parse the options that choose events by their CPU and time. */
static error_t parse_part(int key, char *arg, struct argp_state *state)
{
	struct sched *sched = state->input;

	switch (key) {
	case 'C':
		parse_list(state, &sched->filter.cpus, arg, "CPU");
		return 0;
	case OPTION_TIME:
		sched->filter.time = arg;
		return 0;
	default:
		return parse_option(key, arg, state);
	}
}

static const struct argp latency_argp = {
	.options = latency_options,
	.parser = parse_part,
	.doc = "Show how long tasks waited for a CPU in total.",
	.children = (const struct argp_child[]){
		{ &input_argp, 0, NULL, 0 }, { &latency_drop_in, 0, NULL, 0 }, { 0 },
	},
};

static const struct argp_option timehist_options[] = {
	{ "next", 'n', NULL, 0, "Also show the task that runs next", 0 },
	{ "state", OPTION_STATE, NULL, 0, "Also show the state in which the task stopped", 0 },
	{ "cpu", 'C', "CPU", 0, "Only lines of these CPUs: 0,2-3", 0 },
	{ "pid", 'p', "PID", 0, "Only lines of these processes; a list", 0 },
	{ "tid", 't', "TID", 0, "Only lines of these threads; a list", 0 },
	{ "time", OPTION_TIME, "SPAN", 0,
	  "Only lines " TIME_TEXT, 0 },
	{ "prio", OPTION_PRIO, "PRIORITY", 0, "Only lines of tasks of these priorities: 0-99,120",
	  0 },
	{ "show-prio", OPTION_SHOW_PRIO, NULL, 0, "Also show the priority of the task", 0 },
	{ "wakeups", 'w', NULL, 0,
	  "Also show which task woke it up, which task woke that one up, and so on", 0 },
	{ "summary", 's', NULL, 0, "Only a table of how often and how long each task ran", 0 },
	{ "with-summary", 'S', NULL, 0, "All lines, and then the table", 0 },
	{ 0 }
};

static error_t parse_timehist(int key, char *arg, struct argp_state *state)
{
	struct sched *sched = state->input;

	switch (key) {
	case 'n':
		sched->timehist.with_next = true;
		return 0;
	case OPTION_STATE:
		sched->timehist.with_state = true;
		return 0;
	case OPTION_PRIO:
		parse_list(state, &sched->prios, arg, "priority");
		return 0;
	case 's':
	case 'S':
		sched->timehist.with_summary = true;
		sched->timehist.no_lines = key == 's';
		return 0;
	case OPTION_SHOW_PRIO:
		sched->timehist.with_prio = true;
		return 0;
	case 'p':
		parse_list(state, &sched->filter.pids, arg, "process id");
		return 0;
	case 't':
		parse_list(state, &sched->filter.tids, arg, "thread id");
		return 0;
	default:
		return parse_part(key, arg, state);
	}
}

static const struct argp timehist_argp = {
	.options = timehist_options,
	.parser = parse_timehist,
	.doc = "Show each time that a task ran, and how long it had waited.",
	.children = (const struct argp_child[]){
		{ &input_argp, 0, NULL, 0 }, { &timehist_drop_in, 0, NULL, 0 }, { 0 },
	},
};

static const struct argp_option map_options[] = {
	{ "compact", OPTION_COMPACT, NULL, 0, "Columns of only the CPUs that have switched", 0 },
	{ "cpus", OPTION_CPUS, "CPU", 0, "Only switches of these CPUs: 0,2-3", 0 },
	{ "task-name", OPTION_TASK_NAME, "NAME[,NAME...]", 0,
	  "Only switches from and to tasks of these names; others are shown as -", 0 },
	{ "fuzzy-name", OPTION_FUZZY_NAME, NULL, 0, "Names of --task-name may be parts of names",
	  0 },
	{ 0 }
};

static error_t parse_map(int key, char *arg, struct argp_state *state)
{
	struct sched *sched = state->input;

	switch (key) {
	case OPTION_TASK_NAME:
		sched->map.names = arg;
		return 0;
	case OPTION_FUZZY_NAME:
		sched->map.part_of_name = true;
		return 0;
	case OPTION_COMPACT:
		sched->map.compact = true;
		return 0;
	case OPTION_CPUS:
		parse_list(state, &sched->map.cpus, arg, "CPU");
		return 0;
	default:
		return parse_option(key, arg, state);
	}
}

static const struct argp map_argp = {
	.options = map_options,
	.parser = parse_map,
	.doc = "Show which task each CPU runs, after every switch.",
	.children = (const struct argp_child[]){
		{ &input_argp, 0, NULL, 0 }, { &map_drop_in, 0, NULL, 0 }, { 0 },
	},
};

/* The subcommands that show something, and the parsers of their arguments. */
static const struct {
	const char *name;
	char *whole;
	const struct argp *argp;
	void (*add)(struct sched *sched, const struct sched_event *event);
} shows[] = {
	{ "latency", "perf sched latency", &latency_argp, add_to_latency },
	{ "lat", "perf sched lat", &latency_argp, add_to_latency },
	{ "timehist", "perf sched timehist", &timehist_argp, add_to_timehist },
	{ "map", "perf sched map", &map_argp, add_to_map },
};

/**
 * cmd_sched - perf sched
 * @argc: number of strings in @argv
 * @argv: "perf sched", then record, latency, timehist or map, and its arguments
 *
 * Return: the exit status.
 */
int cmd_sched(int argc, char **argv)
{
	static const char what[] =
		"Usage: perf sched record [ARG...]\n"
		"  or:  perf sched latency [-p] [-s KEY] [-i FILE]\n"
		"  or:  perf sched timehist [-w] [-n] [-C CPU] [-i FILE]\n"
		"  or:  perf sched map [--compact] [-i FILE]\n"
		"  or:  perf sched script [-i FILE]\n"
		"record: record the scheduler's events with perf record -a. latency: show how long\n"
		"tasks waited for a CPU in total. timehist: show each time that a task ran. map: show\n"
		"which task each CPU runs. script: as perf script.\n";
	struct sched sched = { .order = LATENCY_BY_AVERAGE };
	const char *name = argc > 1 ? argv[1] : "";
	size_t i;

	if (!strcmp(name, "record")) {
		argv[1] = "perf sched record";
		return sched_record(argc - 1, argv + 1);
	}
	for (i = 0; i < ARRAY_SIZE(shows); i++) {
		if (strcmp(name, shows[i].name))
			continue;
		argv[1] = shows[i].whole;
		parse_arguments(shows[i].argp, argc - 1, argv + 1, 0, &sched);
		sched.add = shows[i].add;
		return show(&sched);
	}
	if (!strcmp(name, "script")) {
		argv[1] = "perf script";
		return cmd_script(argc - 1, argv + 1);
	}
	if (!strcmp(name, "replay")) {
		complain("%s replay: it makes a load like the recorded one; use 'stress-ng' or the program itself",
			 argv[0]);
		return EXIT_USAGE;
	}
	if (!strcmp(name, "stats")) {
		complain("%s stats: use 'perf sched latency', or /proc/schedstat", argv[0]);
		return EXIT_USAGE;
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-?")) {
		fputs(what, stdout);
		return 0;
	}
	complain("%s: '%s' is not record, latency, timehist or map; see 'perf sched --help'",
		 argv[0], name);
	return EXIT_USAGE;
}
