// SPDX-License-Identifier: GPL-2.0
/* perf export: the samples of a recording in the format of another program. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "export/export.h"
#include "file/file.h"
#include "machine/machine.h"
#include "report/report.h"
#include "symbol/symbol.h"
#include "arguments.h"
#include "cmd.h"
#include "drop_in.h"
#include "input_options.h"
#include "sample_filter.h"

#define DEFAULT_SORT_ORDER "comm,dso,sym"

#define NS_PER_SECOND 1000000000ULL

struct export;

/**
 * struct format - a format of perf export
 * @name: name
 * @write: function that writes the file; it returns 0, or -1 if a write failed; NULL: several files
 * @is_binary: the file is not text
 * @has_rows: the file has the rows of perf report
 * @with_lines: the file has source lines
 * @with_times: the file has the time of each sample
 */
struct format {
	const char *name;
	int (*write)(FILE *out, struct export *export, struct session *session);
	bool is_binary;
	bool has_rows;
	bool with_lines;
	bool with_times;
};

/**
 * struct export - options and results of perf export
 * @input: options that choose the recording
 * @filter: options that choose samples
 * @format: format of the file
 * @output: path of the file, or NULL for the standard output
 * @url: server that an otlp profile is sent to, or NULL
 * @event: name of the wanted event; NULL: all
 * @sort: sort keys of rows
 * @root: first name of folded stacks
 * @table: options of tables
 * @event_seen: the recording has samples of @event
 * @profile: tables
 * @rows: rows
 */
struct export {
	struct input_options input;
	struct sample_filter filter;
	const struct format *format;
	const char *output;
	const char *url;
	const char *event;
	const char *sort;
	enum folded_root root;
	struct export_table table;
	bool event_seen;
	struct profile profile;
	struct export_rows rows;
};

/* Return the event of a format with room for one, and warn of samples that are left out. */
static int only_event(const struct profile *p, const char *format)
{
	int event = profile_main_event(p);
	size_t i, others = 0;

	for (i = 0; i < p->nr_events; i++)
		others += p->events[i].nr && (int)i != event;
	if (others)
		warn("%s has room for one event, so only '%s' is exported; choose with --event",
		     format, p->events[event].name->text);
	return event;
}

static int write_folded(FILE *out, struct export *export, struct session *session)
{
	int event = only_event(&export->profile, export->format->name);

	(void)session;
	if (event >= 0)
		export_folded(out, &export->profile, event, export->root);
	return 0;
}

static int write_csv(FILE *out, struct export *export, struct session *session)
{
	export_rows_csv(out, &export->rows, data_reader_events(session->reader));
	return 0;
}

static int write_json(FILE *out, struct export *export, struct session *session)
{
	export_rows_json(out, &export->rows, data_reader_events(session->reader));
	return 0;
}

static int write_pprof(FILE *out, struct export *export, struct session *session)
{
	(void)session;
	return export_pprof(out, &export->profile);
}

static int write_firefox(FILE *out, struct export *export, struct session *session)
{
	int event = only_event(&export->profile, export->format->name);

	(void)session;
	export_firefox(out, &export->profile, event);
	return 0;
}

static int write_speedscope(FILE *out, struct export *export, struct session *session)
{
	(void)session;
	export_speedscope(out, &export->profile);
	return 0;
}

static int write_chrome(FILE *out, struct export *export, struct session *session)
{
	(void)session;
	export_chrome(out, &export->profile);
	return 0;
}

static int write_perfetto(FILE *out, struct export *export, struct session *session)
{
	int event = only_event(&export->profile, export->format->name);

	(void)session;
	export_perfetto(out, &export->profile, event);
	return 0;
}

static int write_otlp(FILE *out, struct export *export, struct session *session)
{
	export_otlp(out, &export->profile, data_reader_features(session->reader));
	return 0;
}

static const struct format formats[] = {
	{ .name = "folded", .write = write_folded },
	{ .name = "csv", .write = write_csv, .has_rows = true },
	{ .name = "json", .write = write_json, .has_rows = true },
	{ .name = "pprof", .write = write_pprof, .is_binary = true, .with_lines = true },
	{ .name = "firefox", .write = write_firefox, .with_lines = true, .with_times = true },
	{ .name = "speedscope", .write = write_speedscope, .with_lines = true, .with_times = true },
	{ .name = "chrome", .write = write_chrome, .with_times = true },
	{ .name = "perfetto", .write = write_perfetto, .is_binary = true, .with_lines = true,
	  .with_times = true },
	{ .name = "otlp", .write = write_otlp, .is_binary = true, .with_lines = true },
	{ .name = "table", .with_lines = true, .with_times = true },
};

#define FORMAT_NAMES "folded, csv, json, pprof, firefox, speedscope, chrome, perfetto, otlp, table"

static bool is_wanted(struct export *export, struct session *session, const struct record *record)
{
	const struct event_table *events = data_reader_events(session->reader);
	const struct sample_filter *filter = &export->filter;
	struct machine *machine = &session->machine;
	struct thread *thread;
	struct location at;

	if (export->event) {
		if (strcmp(export->event, events->events[record->event].name))
			return false;
		export->event_seen = true;
	}
	thread = thread_get(&machine->threads, record->id.pid, record->id.tid);
	if (!in_list(export->input.comms, thread->comm) || !sample_filter_wants(filter, record) ||
	    !sample_filter_wants_task(filter, record->id.pid, record->id.tid))
		return false;
	if (!filter->symbols && !filter->part && !filter->hide_unresolved)
		return true;
	machine_resolve(machine, thread, cpu_mode_of(record->misc), record->sample.ip, &at);
	return (at.symbol || !filter->hide_unresolved) && sample_filter_wants_symbol(filter, &at);
}

static void handle_record(void *context, struct session *session, const struct record *record)
{
	struct export *export = context;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		if (!is_wanted(export, session, record))
			return;
		if (export->format->has_rows)
			export_rows_add(&export->rows, session, record);
		else
			profile_add_sample(&export->profile, session, record);
		return;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		profile_add_switch(&export->profile, session, record);
		return;
	}
}

static const struct format *find_format(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	}
	return NULL;
}

static enum folded_root parse_root(struct argp_state *state, const char *arg)
{
	if (!strcmp(arg, "comm"))
		return FOLDED_COMM;
	if (!strcmp(arg, "pid"))
		return FOLDED_PID;
	if (strcmp(arg, "tid"))
		argp_error(state, "--root: '%s' is not comm, pid or tid", arg);
	return FOLDED_TID;
}

enum {
	OPTION_EVENT = 0x100,
	OPTION_ROOT,
	OPTION_ROWS,
	OPTION_ZSTD,
	OPTION_URL,
};

static const struct argp_option option_table[] = {
	{ "output", 'o', "FILE", 0, "Write FILE (the standard output)", 0 },
	{ "event", OPTION_EVENT, "NAME", 0, "Only samples of this event", 0 },
	{ "sort", 's', "KEY[,KEY...]", 0,
	  "Rows of csv and json: By comm, dso, sym, srcline, srcfile, pid, tid, cpu, cgroup ("
	  DEFAULT_SORT_ORDER ")", 0 },
	{ "root", OPTION_ROOT, "WHAT", 0,
	  "Begin folded stacks with comm, with pid (and comm), or with tid (and both)", 0 },
	{ "rows", OPTION_ROWS, "FORM", 0, "Rows of tables are csv (default) or json", 0 },
	{ "url", OPTION_URL, "URL", 0,
	  "Send a profile of otlp to http://HOST[:PORT]/PATH; do not write a file", 0 },
	{ "zstd", OPTION_ZSTD, NULL, 0, "Compress the files of tables with zstd", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct export *export = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &export->input;
		state->child_inputs[1] = &export->filter;
		return 0;
	case 'o':
		export->output = arg;
		return 0;
	case OPTION_EVENT:
		export->event = arg;
		return 0;
	case 's':
		export->sort = arg;
		return 0;
	case OPTION_ROOT:
		export->root = parse_root(state, arg);
		return 0;
	case OPTION_ROWS:
		export->table.json = !strcmp(arg, "json");
		if (!export->table.json && strcmp(arg, "csv"))
			argp_error(state, "--rows: '%s' is not csv or json", arg);
		return 0;
	case OPTION_URL:
		export->url = arg;
		return 0;
	case OPTION_ZSTD:
		export->table.zstd = true;
		return 0;
	case ARGP_KEY_ARG:
		if (export->format)
			return ARGP_ERR_UNKNOWN;
		export->format = find_format(arg);
		if (!export->format)
			argp_error(state, "'%s' is not a format; use " FORMAT_NAMES, arg);
		return 0;
	case ARGP_KEY_END:
		if (!export->format)
			argp_error(state, "give a format: " FORMAT_NAMES);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Apply the format and check the options. Return: 0, or EXIT_USAGE after an error message. */
static int start_export(struct export *export)
{
	const struct format *format = export->format;
	struct error err;

	export->profile.with_lines = format->with_lines;
	export->profile.with_times = format->with_times;
	if (format->has_rows &&
	    export_rows_start(&export->rows, export->sort ?: DEFAULT_SORT_ORDER, &err)) {
		complain("--sort: %s", err.text);
		return EXIT_USAGE;
	}
	if (!format->write && (!export->output || !strcmp(export->output, "-"))) {
		complain("%s writes several files; give the start of their names with -o PREFIX",
			 format->name);
		return EXIT_USAGE;
	}
	if (export->url && (format->write != write_otlp || export->output)) {
		complain("--url sends a profile of otlp, and writes no file");
		return EXIT_USAGE;
	}
	if (format->is_binary && !export->output && !export->url && isatty(STDOUT_FILENO)) {
		complain("%s is not text; write a file with -o FILE", format->name);
		return EXIT_USAGE;
	}
	return 0;
}

/*
 * Return the end of the recording in ns since 1970: the last change of the file, or now for the
 * standard input.
 */
static uint64_t recorded_time(const char *path)
{
	struct stat st;

	if (!strcmp(path, "-") || stat(path, &st))
		return time(NULL) * NS_PER_SECOND;
	return st.st_mtim.tv_sec * NS_PER_SECOND + st.st_mtim.tv_nsec;
}

/* Write the files of tables. Return: 0, or EXIT_FAILED after an error message. */
static int write_tables(struct export *export, struct session *session)
{
	char *host = escape_name(data_reader_features(session->reader)->hostname ?: "");
	struct error err;
	int ret;

	export->table.prefix = export->output;
	export->table.host = host;
	ret = export_table(&export->profile, &export->table, &err);
	if (ret)
		complain("-o: %s", err.text);
	free(host);
	return ret ? EXIT_FAILED : 0;
}

/* Send the file to a server. Return: 0, or EXIT_FAILED after an error message. */
static int send_output(struct export *export, struct session *session)
{
	struct error err;
	size_t size;
	char *bytes;
	FILE *out;
	int ret;

	out = open_memstream(&bytes, &size);
	if (!out)
		die("out of memory");
	export->format->write(out, export, session);
	if (fclose(out))
		die("out of memory");
	ret = http_post(export->url, "application/x-protobuf", bytes, size, &err);
	free(bytes);
	if (ret)
		complain("--url: %s", err.text);
	return ret ? EXIT_FAILED : 0;
}

/* Return true if both paths lead to one file, which writing would destroy. */
static bool is_same_file(const char *x, const char *y)
{
	struct stat a, b;

	return !stat(x, &a) && !stat(y, &b) && S_ISREG(a.st_mode) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* Write the file. Return: 0, or EXIT_FAILED after an error message. */
static int write_output(struct export *export, struct session *session)
{
	struct error err;
	bool failed;
	FILE *out;

	if (!export->output || !strcmp(export->output, "-")) {
		/* main() reports errors of the standard output. */
		return export->format->write(stdout, export, session) ? EXIT_FAILED : 0;
	}
	if (is_same_file(export->output, export->input.path)) {
		complain("-o: %s is the recording, which is not written", export->output);
		return EXIT_FAILED;
	}
	out = open_output_file(export->output, false, &err);
	if (!out) {
		complain("-o: %s", err.text);
		return EXIT_FAILED;
	}
	failed = export->format->write(out, export, session) || ferror(out);
	errno = 0;
	if (!fclose(out) && !failed)
		return 0;
	complain("cannot write %s: %s", export->output, errno ? strerror(errno) : "write error");
	return EXIT_FAILED;
}

static int run(struct export *export, struct session *session)
{
	static const struct session_handlers handlers = { .record = handle_record };
	int status, damaged;
	uint64_t lost;

	session->silent = true;
	session_run(session, &handlers, export);
	if (export->event && !export->event_seen) {
		complain("--event: %s has no samples of '%s'; 'perf evlist' lists its events",
			 export->input.path, export->event);
		return EXIT_FAILED;
	}
	export->profile.recorded = recorded_time(export->input.path);
	if (export->url)
		status = send_output(export, session);
	else if (export->format->write)
		status = write_output(export, session);
	else
		status = write_tables(export, session);
	damaged = session_complain_of_damage(session);
	/* Warnings about the contents of an output that does not exist would hide the reason. */
	if (status)
		return status;
	session_warn(session);
	if (!session->nr_samples)
		warn("%s: the recording has no samples", export->input.path);
	lost = session_lost(session);
	if (lost)
		warn("%s: lost %" PRIu64 " samples; record with a lower -F or a larger -m",
		     export->input.path, lost);
	notes_print(session->nr_samples);
	return damaged;
}

/**
 * cmd_export - perf export
 * @argc: number of strings in @argv
 * @argv: "perf export" and its arguments
 *
 * Return: the exit status.
 */
int cmd_export(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &input_argp, 0, NULL, 0 },
		{ &sample_filter_argp, 0, NULL, 0 },
		{ &plain_drop_in, 0, NULL, 0 },
		{ 0 }
	};
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "FORMAT [FILE]",
		.doc = "Write the samples of a recording in the format of another program.\vFORMAT is one of: "
		       FORMAT_NAMES,
		.children = children,
	};
	struct export export = { 0 };
	struct session session;
	int status;

	parse_arguments(&argp, argc, argv, 0, &export);
	status = start_export(&export) ?: input_open(&session, &export.input);
	if (status)
		return status;
	status = sample_filter_start(&export.filter, &session);
	if (!status && export.input.dump)
		dump_session(&session);
	else if (!status)
		status = run(&export, &session);
	export_rows_free(&export.rows);
	profile_free(&export.profile);
	sample_filter_free(&export.filter);
	session_close(&session);
	return status;
}
