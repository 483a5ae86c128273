// SPDX-License-Identifier: GPL-2.0
/* perf evlist: the events of a recording. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>

#include "file/file.h"
#include "machine/machine.h"
#include "report/report.h"
#include "arguments.h"
#include "cmd.h"
#include "drop_in.h"
#include "input_options.h"

/**
 * struct evlist - options of perf evlist
 * @input: options that choose the recording; -v prints the whole attrs
 * @freq: print the frequency or period of each event
 */
struct evlist {
	struct input_options input;
	bool freq;
};

static void print_event(const struct evlist *evlist, const struct data_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	fput_name(event->name, stdout);
	if (evlist->input.verbose) {
		fputs(": ", stdout);
		attr_print(stdout, attr);
	} else if (evlist->freq) {
		printf(": %s=%" PRIu64, attr->freq ? "sample_freq" : "sample_period",
		       (uint64_t)attr->sample_freq);
	}
	putchar('\n');
}

static void print_events(const struct evlist *evlist, const struct event_table *events)
{
	bool has_tracepoint = false;
	size_t i;

	for (i = 0; i < events->nr; i++) {
		print_event(evlist, &events->events[i]);
		has_tracepoint |= events->events[i].attr.type == PERF_TYPE_TRACEPOINT;
	}
	if (has_tracepoint && !evlist->input.verbose && !evlist->freq)
		puts("# 'perf script' prints the fields of tracepoints");
}

static const struct argp_option option_table[] = {
	{ "freq", 'F', NULL, 0, "Print the frequency or period of each event", 0 },
	{ "input", 'i', "FILE", 0, "Read FILE (perf.data); - is standard input", 0 },
	{ "force", 'f', NULL, 0, "Also read a recording of another user (always done)", 0 },
	{ "verbose", 'v', NULL, 0, "Print how each event was opened", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct evlist *evlist = state->input;

	switch (key) {
	case 'i':
	case ARGP_KEY_ARG:
		evlist->input.path = arg;
		return 0;
	case 'v':
		evlist->input.verbose = 1;
		return 0;
	case 'F':
		evlist->freq = true;
		return 0;
	case 'f':
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/**
 * cmd_evlist - perf evlist
 * @argc: number of strings in @argv
 * @argv: "perf evlist" and its arguments
 *
 * Return: the exit status.
 */
int cmd_evlist(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &evlist_drop_in, 0, NULL, 0 },
		{ 0 }
	};
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "[FILE]",
		.doc = "List the events of a recording; with -v, how each was opened.",
		.children = children,
	};
	static const struct session_handlers handlers = { 0 };
	struct evlist evlist = { 0 };
	struct event_table *events;
	struct session session;
	int status;

	parse_arguments(&argp, argc, argv, 0, &evlist);
	status = input_open(&session, &evlist.input);
	if (status)
		return status;
	events = data_reader_events(session.reader);
	/* In a pipe, the events are records. */
	if (!events->nr)
		session_run(&session, &handlers, NULL);
	print_events(&evlist, events);
	status = session_complain(&session);
	session_close(&session);
	return status;
}
