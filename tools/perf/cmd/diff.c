// SPDX-License-Identifier: GPL-2.0
/* perf diff: the differences between recordings. */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "arguments.h"
#include "cmd.h"
#include "drop_in.h"
#include "input_options.h"
#include "option_values.h"
#include "pager.h"
#include "sample_filter.h"

#define DEFAULT_SORT_ORDER "dso,symbol"
#define DEFAULT_BASE "perf.data.old"
#define DEFAULT_NEW "perf.data"

/* Exit status if a row increased by more than --fail-above. */
#define EXIT_ABOVE 2

/* Maximum number of recordings. */
#define RECORDINGS_MAX 1000

/* Paths of recordings. */
struct paths {
	char **paths;
	size_t nr;
};

/**
 * struct diff - options and results of perf diff
 * @input: options that say where symbols are
 * @filter: options that choose samples
 * @style: form of the output
 * @keys: sort keys
 * @dsos: names of the wanted programs and libraries, separated by commas; NULL: all
 * @comms: names of the wanted commands, separated by commas; NULL: all
 * @relative: percentages refer to the samples that the filters leave
 * @quiet: print no titles and no warnings
 * @fails: --fail-above was given
 * @sides: recordings of --base and of --new
 * @paths: all recordings, those of the baseline first
 * @recording: index of the recording that is being read
 * @tables: comparison of each event, by the name of the event
 * @nr_tables: number of elements of @tables
 * @hists: histogram for each event of the recording that is being read
 * @nr_hists: number of elements of @hists
 */
struct diff {
	struct input_options input;
	struct sample_filter filter;
	struct diff_style style;
	struct sort_keys keys;
	const char *dsos;
	const char *comms;
	bool relative;
	bool quiet;
	bool fails;
	struct paths sides[2];
	struct paths paths;
	size_t recording;
	struct diff_table *tables;
	size_t nr_tables;
	struct hist *hists;
	size_t nr_hists;
};

static void add_path(struct paths *paths, const char *path, size_t length)
{
	paths->paths = xreallocarray(paths->paths, paths->nr + 1, sizeof(*paths->paths));
	paths->paths[paths->nr++] = xstrndup(path, length);
}

/* Add the paths of a list with commas. */
static void add_paths(struct paths *paths, const char *list)
{
	size_t length;

	for (; *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		if (length)
			add_path(paths, list, length);
	}
}

static void free_paths(struct paths *paths)
{
	size_t i;

	for (i = 0; i < paths->nr; i++)
		free(paths->paths[i]);
	free(paths->paths);
}

static struct hist *get_hist(struct diff *diff, size_t event)
{
	if (event >= diff->nr_hists) {
		diff->hists = xreallocarray(diff->hists, event + 1, sizeof(*diff->hists));
		memset(diff->hists + diff->nr_hists, 0,
		       (event + 1 - diff->nr_hists) * sizeof(*diff->hists));
		diff->nr_hists = event + 1;
	}
	diff->hists[event].keys = &diff->keys;
	return &diff->hists[event];
}

static bool wants_dso(const struct diff *diff, const struct dso *dso)
{
	const struct report_style style = { .dsos = diff->dsos };

	return report_shows_dso(&style, dso);
}

static void handle_record(void *context, struct session *session, const struct record *record)
{
	static const struct callchain no_chain;
	struct machine *machine = &session->machine;
	struct sample_point point = { 0 };
	struct diff *diff = context;
	struct thread *thread;
	struct hist *hist;

	if (record->type != PERF_RECORD_SAMPLE || !sample_filter_wants(&diff->filter, record))
		return;
	hist = get_hist(diff, record->event);
	thread = thread_get(&machine->threads, record->id.pid, record->id.tid);
	machine_resolve(machine, thread, cpu_mode_of(record->misc), record->sample.ip, &point.at);
	if (!in_list(diff->comms, thread->comm) || !wants_dso(diff, point.at.dso) ||
	    !sample_filter_wants_task(&diff->filter, record->id.pid, record->id.tid) ||
	    !sample_filter_wants_symbol(&diff->filter, &point.at) ||
	    (diff->filter.hide_unresolved && !point.at.symbol)) {
		if (!diff->relative)
			hist_add_other(hist, &record->sample, 1);
		return;
	}
	sample_point_start(&point, machine, thread, record);
	hist_add(hist, &point, &no_chain, record->sample.period);
}

/* Find or make the comparison of an event. */
static struct diff_table *get_table(struct diff *diff, const char *event)
{
	size_t i;

	for (i = 0; i < diff->nr_tables; i++) {
		if (!strcmp(diff->tables[i].event, event))
			return &diff->tables[i];
	}
	diff->tables = xreallocarray(diff->tables, diff->nr_tables + 1, sizeof(*diff->tables));
	diff_init(&diff->tables[diff->nr_tables], event, &diff->keys, diff->paths.nr);
	return &diff->tables[diff->nr_tables++];
}

/* Return the name of a sort key that samples of an event lack, or NULL. */
static const char *missing_key(const struct diff *diff, const struct perf_event_attr *attr)
{
	size_t i;

	for (i = 0; i < diff->keys.nr; i++) {
		if (diff->keys.keys[i]->needs & ~attr->sample_type)
			return diff->keys.keys[i]->name;
	}
	return NULL;
}

/* Move the histograms of a recording to the comparisons. Return: 0, or EXIT_FAILED. */
static int take_hists(struct diff *diff, struct session *session)
{
	const struct event_table *events = data_reader_events(session->reader);
	int status = 0;
	size_t i;

	for (i = 0; i < diff->nr_hists; i++) {
		struct hist *hist = &diff->hists[i];
		const char *key;

		if (!hist->nr_samples)
			continue;
		key = missing_key(diff, &events->events[i].attr);
		if (key) {
			complain("%s: samples of '%s' cannot be sorted by '%s'; choose other keys",
				 session->path, events->events[i].name, key);
			status = EXIT_FAILED;
		}
		diff_add(get_table(diff, events->events[i].name), diff->recording, hist);
		hist_free(hist);
	}
	free(diff->hists);
	diff->hists = NULL;
	diff->nr_hists = 0;
	return status;
}

/* Read a recording. Return: 0, or the exit status after a message. */
static int read_recording(struct diff *diff, const char *path)
{
	static const struct session_handlers handlers = { .record = handle_record };
	struct input_options input = diff->input;
	struct session session;
	int status;

	input.path = path;
	status = input_open(&session, &input);
	if (status)
		return status;
	free(diff->filter.spans);
	diff->filter.spans = NULL;
	diff->filter.nr_spans = 0;
	status = sample_filter_start(&diff->filter, &session);
	if (!status) {
		session.silent = true;
		session_run(&session, &handlers, diff);
		status = take_hists(diff, &session) ?: session_complain(&session);
		if (!session.nr_samples && !diff->quiet)
			warn("%s: the recording has no samples", path);
		if (!diff->quiet)
			notes_print(session.nr_samples);
	}
	session_close(&session);
	return status;
}

/* Return true if both sides have samples of the event. */
static bool is_comparable(const struct diff *diff, const struct diff_table *table)
{
	const size_t nr_base = diff->style.nr_base ?: 1;
	uint64_t nr[2] = { 0 };
	size_t i;

	for (i = 0; i < table->nr_recordings; i++)
		nr[i >= nr_base] += table->nr_samples[i];
	return nr[0] && nr[1];
}

static void print_files(const struct diff *diff)
{
	const size_t nr_base = diff->style.nr_base ?: 1;
	size_t i;

	if (diff->paths.nr == 2)
		return;
	fputs("# Data files:\n", stdout);
	for (i = 0; i < diff->paths.nr; i++) {
		printf("#  [%zu] ", i);
		fput_name(diff->paths.paths[i], stdout);
		puts(i < nr_base ? " (Baseline)" : "");
	}
	puts("#");
}

/* Say how functions are compared whose files have other names. */
static void hint_at_renamed(const struct diff *diff, const struct diff_table *table)
{
	struct diff_renamed found;
	char *function, *before, *after;

	if (diff->quiet || !diff_find_renamed(table, diff->style.nr_base ?: 1, &found))
		return;
	function = escape_name(found.function);
	before = escape_name(found.before);
	after = escape_name(found.after);
	warn("%s is in the file %s on one side, in %s on the other, so they are two rows; for one row: -s sym",
	     function, before, after);
	free(function);
	free(before);
	free(after);
}

/* Print the comparisons. Return: the number of rows above --fail-above. */
static size_t print_tables(const struct diff *diff, size_t *nr_shown)
{
	size_t i, nr_above = 0;

	*nr_shown = 0;
	for (i = 0; i < diff->nr_tables; i++) {
		const struct diff_table *table = &diff->tables[i];

		if (!is_comparable(diff, table)) {
			if (!diff->quiet)
				warn("event '%s' has samples on one side alone, so it is left out",
				     table->event);
			continue;
		}
		if (*nr_shown)
			putchar('\n');
		if (!diff->quiet) {
			fputs("# Event '", stdout);
			fput_name(table->event, stdout);
			puts("'\n#");
			if (!*nr_shown)
				print_files(diff);
		}
		nr_above += report_diff(stdout, &diff->style, table);
		hint_at_renamed(diff, table);
		(*nr_shown)++;
	}
	return nr_above;
}

enum {
	OPTION_BASE = 0x100,
	OPTION_NEW,
	OPTION_FAIL_ABOVE,
	OPTION_CONFIDENCE,
	OPTION_ALL,
	OPTION_PERCENT_LIMIT,
	OPTION_PERCENTAGE,
};

static const struct argp_option option_table[] = {
	{ "base", OPTION_BASE, "FILE[,FILE...]", 0,
	  "Recordings of the baseline, at least 2; may be repeated", 0 },
	{ "new", OPTION_NEW, "FILE[,FILE...]", 0,
	  "Recordings to compare with those of --base, at least 2; may be repeated", 0 },
	{ "all", OPTION_ALL, NULL, 0, "With --base: show also rows within noise", 0 },
	{ "confidence", OPTION_CONFIDENCE, "PERCENT", 0,
	  "With --base: confidence of the intervals (95)", 0 },
	{ "fail-above", OPTION_FAIL_ABOVE, "NUMBER", 0,
	  "Exit with 2 if a row increased by more than this: percentage points, or with -c ratio percent",
	  0 },
	{ "compute", 'c', "METHOD", 0,
	  "delta, delta-abs (default), ratio or wdiff:BASE-WEIGHT,NEW-WEIGHT", 0 },
	{ "sort", 's', "KEY[,KEY...]", 0,
	  "Compare by comm, dso, sym, srcline, srcfile, pid, tid, cpu, cgroup ("
	  DEFAULT_SORT_ORDER ")", 0 },
	{ "order", 'o', "N", 0,
	  "Order rows by the values of recording N, 0 is the baseline (1)", 0 },
	{ "baseline-only", 'b', NULL, 0, "Only rows that each recording has", 0 },
	{ "period", 'p', NULL, 0, "Show periods", 0 },
	{ "formula", 'F', NULL, 0, "Show the numbers that values were computed from", 0 },
	{ "comms", 'C', "NAME[,NAME...]", 0, "Only samples of these commands", 0 },
	{ "dsos", 'd', "NAME[,NAME...]", 0, "Only samples in these programs and libraries", 0 },
	{ "dso", 'd', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0 },
	{ "percentage", OPTION_PERCENTAGE, "relative|absolute", 0,
	  "Percentages of the samples that filters leave, or of all samples (absolute)", 0 },
	{ "percent-limit", OPTION_PERCENT_LIMIT, "PERCENT", 0,
	  "Leave out rows that are smaller in each recording", 0 },
	{ "field-separator", 't', "CHARACTER", 0,
	  "Put this between columns and do not pad them", 0 },
	{ "quiet", 'q', NULL, 0, "Print no titles and no warnings", 0 },
	{ "input", 'i', "FILE", OPTION_HIDDEN, NULL, 0 },
	{ 0 }
};

/* Parse the weights of wdiff, "BASE,NEW". */
static bool parse_weights(struct diff_options *options, const char *text)
{
	char *end;

	errno = 0;
	options->base_weight = strtol(text, &end, 10);
	if (end == text || *end != ',' || errno)
		return false;
	text = end + 1;
	options->new_weight = strtol(text, &end, 10);
	return end != text && !*end && !errno;
}

static void parse_method(struct argp_state *state, struct diff_options *options, const char *arg)
{
	if (!strcmp(arg, "delta"))
		options->method = DIFF_DELTA;
	else if (!strcmp(arg, "delta-abs"))
		options->method = DIFF_DELTA_ABS;
	else if (!strcmp(arg, "ratio"))
		options->method = DIFF_RATIO;
	else if (!strncmp(arg, "wdiff:", 6) && parse_weights(options, arg + 6))
		options->method = DIFF_WEIGHTED;
	else if (!strcmp(arg, "cycles"))
		argp_error(state, "-c cycles: use 'perf report --total-cycles' for each recording");
	else
		argp_error(state,
			   "-c: '%s' is not delta, delta-abs, ratio, or wdiff:NUMBER,NUMBER", arg);
}

static void parse_keys(struct argp_state *state, struct diff *diff, const char *arg)
{
	struct error err;
	size_t i;

	if (sort_keys_parse(&diff->keys, arg, &err))
		argp_error(state, "--sort: %s", err.text);
	for (i = 0; i < diff->keys.nr; i++) {
		const struct sort_key *key = diff->keys.keys[i];

		if (sort_key_is_of_branches(key) || key->needs & PERF_SAMPLE_RAW ||
		    key->needs & SORT_NEEDS_SWITCHES || !strcmp(key->name, "parent"))
			argp_error(state, "--sort: recordings are not compared by '%s'",
				   key->name);
	}
}

/* Choose the recordings, and refuse options that contradict one another. */
static void choose_paths(struct argp_state *state, struct diff *diff)
{
	struct paths *base = &diff->sides[0], *other = &diff->sides[1], *paths = &diff->paths;
	size_t i;

	if (base->nr || other->nr) {
		if (paths->nr)
			argp_error(state,
				   "give the recordings to --base and --new, or only as arguments");
		if (base->nr < 2 || other->nr < 2)
			argp_error(state, "--base and --new need at least two recordings each");
		diff->style.nr_base = base->nr;
		for (i = 0; i < base->nr; i++)
			add_path(paths, base->paths[i], strlen(base->paths[i]));
		for (i = 0; i < other->nr; i++)
			add_path(paths, other->paths[i], strlen(other->paths[i]));
	} else if (diff->style.all) {
		argp_error(state,
			   "--all shows rows within noise, which only --base and --new find");
	}
	if (!paths->nr)
		add_path(paths, DEFAULT_NEW, strlen(DEFAULT_NEW));
	if (paths->nr == 1) {
		add_path(paths, paths->paths[0], strlen(paths->paths[0]));
		free(paths->paths[0]);
		paths->paths[0] = xstrdup(DEFAULT_BASE);
	}
	if (paths->nr > RECORDINGS_MAX)
		argp_error(state, "more than %d recordings", RECORDINGS_MAX);
	if (diff->style.order >= paths->nr)
		argp_error(state, "-o: there is no recording %zu", diff->style.order);
	if (diff->fails && diff->style.options.method == DIFF_WEIGHTED)
		argp_error(state, "--fail-above needs -c delta or -c ratio");
	if (diff->style.nr_base && (diff->style.with_periods || diff->style.with_formula))
		argp_error(state, "-p and -F are for single recordings, not for --base and --new");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct diff *diff = state->input;
	struct diff_style *style = &diff->style;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &diff->input;
		state->child_inputs[1] = &diff->filter;
		return 0;
	case ARGP_KEY_END:
		choose_paths(state, diff);
		return 0;
	case ARGP_KEY_ARG:
	case 'i':
		add_path(&diff->paths, arg, strlen(arg));
		return 0;
	case OPTION_BASE:
		add_paths(&diff->sides[0], arg);
		return 0;
	case OPTION_NEW:
		add_paths(&diff->sides[1], arg);
		return 0;
	case OPTION_ALL:
		style->all = true;
		return 0;
	case OPTION_CONFIDENCE:
		style->confidence = parse_decimal(state, "--confidence", "percent", arg, 1,
						  99.9999) / 100;
		return 0;
	case OPTION_FAIL_ABOVE:
		style->limit = parse_decimal(state, "--fail-above", "percent", arg, 0, 1e9);
		diff->fails = true;
		return 0;
	case OPTION_PERCENT_LIMIT:
		style->min_percent = parse_decimal(state, "--percent-limit", "percent", arg, 0,
						   100);
		return 0;
	case OPTION_PERCENTAGE:
		diff->relative = !strcmp(arg, "relative");
		if (!diff->relative && strcmp(arg, "absolute"))
			argp_error(state, "--percentage: '%s' is neither relative nor absolute",
				   arg);
		return 0;
	case 'c':
		parse_method(state, &style->options, arg);
		return 0;
	case 's':
		parse_keys(state, diff, arg);
		return 0;
	case 'o':
		style->order = parse_number(state, "-o", arg, 0, RECORDINGS_MAX);
		return 0;
	case 'b':
		style->baseline_only = true;
		return 0;
	case 'p':
		style->with_periods = true;
		return 0;
	case 'F':
		style->with_formula = true;
		return 0;
	case 'C':
		diff->comms = arg;
		return 0;
	case 'd':
		diff->dsos = arg;
		return 0;
	case 't':
		style->separator = parse_separator(state, arg);
		return 0;
	case 'q':
		diff->quiet = true;
		style->no_titles = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Read all recordings and print what differs. Return: the exit status. */
static int run(struct diff *diff)
{
	size_t nr_above, nr_shown, i;
	struct pager pager;
	int status = 0, ret;

	for (i = 0; i < diff->paths.nr; i++) {
		diff->recording = i;
		ret = read_recording(diff, diff->paths.paths[i]);
		if (ret == EXIT_USAGE || (ret && !diff->nr_tables))
			return ret;
		status = status ?: ret;
	}
	if (status)
		return status;
	pager_start(&pager);
	nr_above = print_tables(diff, &nr_shown);
	if (!nr_shown) {
		complain("the recordings have no event in common with samples");
		status = EXIT_FAILED;
	} else if (diff->fails && nr_above) {
		complain("%zu row%s increased by more than %g %s", nr_above,
			 nr_above == 1 ? "" : "s", diff->style.limit,
			 diff->style.options.method == DIFF_RATIO ? "%" : "percentage points");
		status = EXIT_ABOVE;
	}
	pager_end(&pager);
	return status;
}

static void diff_free_all(struct diff *diff)
{
	size_t i;

	for (i = 0; i < diff->nr_tables; i++)
		diff_free(&diff->tables[i]);
	free(diff->tables);
	free_paths(&diff->sides[0]);
	free_paths(&diff->sides[1]);
	free_paths(&diff->paths);
	sort_keys_free(&diff->keys);
	sample_filter_free(&diff->filter);
}

/**
 * cmd_diff - perf diff
 * @argc: number of strings in @argv
 * @argv: "perf diff" and its arguments
 *
 * Return: the exit status.
 */
int cmd_diff(int argc, char **argv)
{
	const struct argp input = { .options = input_argp.options, .parser = input_argp.parser };
	const struct argp_child children[] = {
		{ &input, 0, NULL, 0 },
		{ &sample_filter_argp, 0, NULL, 0 },
		{ &diff_drop_in, 0, NULL, 0 },
		{ 0 }
	};
	const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "[OLD-FILE] [NEW-FILE...]",
		.doc = "Show what changed from one recording, or several, to others.",
		.children = children,
	};
	struct diff diff = {
		.style = {
			.options = { .method = DIFF_DELTA_ABS }, .order = 1, .confidence = 0.95,
		},
	};
	struct error err;
	int status;

	sort_keys_parse(&diff.keys, DEFAULT_SORT_ORDER, &err);
	parse_arguments(&argp, argc, argv, 0, &diff);
	status = run(&diff);
	diff_free_all(&diff);
	return status;
}
