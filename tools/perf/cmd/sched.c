// SPDX-License-Identifier: GPL-2.0
/*
 * perf sched: record the scheduler's tracepoints, and show who waited how long for a CPU.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "sched/sched.h"
#include "cmd.h"
#include "input_options.h"
#include "pager.h"

/**
 * struct sched - what is shown
 * @input: which recording
 * @by_task: a row for each task
 * @order: of the rows
 * @latency: if they are shown: the tasks
 * @timehist: if each run is shown: the tasks
 * @is_timehist: the latter
 * @nr_switches: switches that were looked at
 * @nr_bad: those that have not the fields that they should have
 * @prepared: the events of the recording have been looked at
 */
struct sched {
	struct input_options input;
	bool by_task;
	enum latency_order order;
	struct latency latency;
	struct timehist timehist;
	bool is_timehist;
	uint64_t nr_switches;
	uint64_t nr_bad;
	bool prepared;
};

/* The kernel's perf records a task's beginning and end, too; who waits is in these. */
static const char *const recorded[] = {
	"sched:sched_switch", "sched:sched_stat_runtime", "sched:sched_waking",
	"sched:sched_wakeup", "sched:sched_wakeup_new", "sched:sched_migrate_task",
	"sched:sched_process_fork",
};

/* perf sched record ARGS: perf record -a with these events, and ARGS. */
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

static void prepare(struct sched *sched, const struct event_table *events)
{
	size_t i;

	sched->prepared = true;
	for (i = 0; i < events->nr; i++) {
		if (sched_kind_of(events->events[i].name) == SCHED_WAKING)
			sched->timehist.has_waking = true;
	}
	if (sched->is_timehist)
		timehist_print_head(stdout);
}

static void handle_record(void *context, struct session *session, const struct record *record)
{
	const struct event_table *events = data_reader_events(session->reader);
	const struct data_event *data = &events->events[record->event];
	struct sched *sched = context;
	struct sched_event event;

	if (record->type != PERF_RECORD_SAMPLE || data->attr.type != PERF_TYPE_TRACEPOINT ||
	    sched_kind_of(data->name) == SCHED_OTHER)
		return;
	if (!sched->prepared)
		prepare(sched, events);
	if (sched_event_decode(&event, data_reader_features(session->reader)->tracing, data->name,
			       &data->attr, record)) {
		sched->nr_bad++;
		return;
	}
	sched->nr_switches += event.kind == SCHED_SWITCH;
	if (sched->is_timehist)
		timehist_add(&sched->timehist, stdout, &event);
	else
		latency_add(&sched->latency, &event);
}

/* What may be wrong with a recording for this. */
static int check(const struct sched *sched, const struct session *session)
{
	if (sched->nr_bad)
		complain("%s: %llu events of the scheduler are not as described; they are left out",
			 session->path, (unsigned long long)sched->nr_bad);
	if (sched->nr_switches)
		return 0;
	complain("%s: there is no sched:sched_switch in it; make one with: perf sched record",
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
	pager_start(&pager);
	session_run(&session, &handlers, sched);
	if (!sched->is_timehist && sched->nr_switches)
		latency_print(&sched->latency, stdout, sched->by_task, sched->order);
	complaint = check(sched, &session);
	status = session_complain(&session);
	pager_end(&pager);
	session_close(&session);
	latency_free(&sched->latency);
	timehist_free(&sched->timehist);
	return status ? status : complaint;
}

static const struct argp_option latency_options[] = {
	{ "pids", 'p', NULL, 0, "A row for each task, not one for all of a name", 0 },
	{ "sort", 's', "KEY", 0, "The largest first of: avg (default), max, switch, runtime", 0 },
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
	case 's':
		sched->order = parse_order(state, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &input_argp, 0, NULL, 0 }, { 0 } };

static const struct argp latency_argp = {
	.options = latency_options,
	.parser = parse_option,
	.doc = "Show how long tasks waited for a CPU, all told.",
	.children = children,
};

static const struct argp timehist_argp = {
	.parser = parse_option,
	.doc = "Show each time that a task ran, and how long it had waited.",
	.children = children,
};

/**
 * cmd_sched - perf sched
 * @argc: number of strings in @argv
 * @argv: "perf sched", record, latency or timehist, and its arguments
 *
 * Return: the exit status.
 */
int cmd_sched(int argc, char **argv)
{
	static const char what[] =
		"Usage: perf sched record [ARG...]\n"
		"  or:  perf sched latency [-p] [-s KEY] [-i FILE]\n"
		"  or:  perf sched timehist [-i FILE]\n"
		"Record with perf record -a what the others need; show how long tasks waited for a\n"
		"CPU, all told; show each time that a task ran.\n";
	struct sched sched = { .order = LATENCY_BY_AVERAGE };
	const char *name = argc > 1 ? argv[1] : "";

	if (!strcmp(name, "record")) {
		argv[1] = "perf sched record";
		return sched_record(argc - 1, argv + 1);
	}
	if (!strcmp(name, "latency")) {
		argv[1] = "perf sched latency";
		argp_parse(&latency_argp, argc - 1, argv + 1, 0, NULL, &sched);
		return show(&sched);
	}
	if (!strcmp(name, "timehist")) {
		argv[1] = "perf sched timehist";
		argp_parse(&timehist_argp, argc - 1, argv + 1, 0, NULL, &sched);
		sched.is_timehist = true;
		return show(&sched);
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-?")) {
		fputs(what, stdout);
		return 0;
	}
	complain("%s: '%s' is none of record, latency and timehist; see 'perf sched --help'",
		 argv[0], name);
	return EXIT_USAGE;
}
