// SPDX-License-Identifier: GPL-2.0
/* perf annotate: the instructions of functions, with their shares of the samples. */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/annotate.h"
#include "browse/browse.h"
#include "annotate_print.h"
#include "arguments.h"
#include "cmd.h"
#include "drop_in.h"
#include "input_options.h"
#include "option_values.h"
#include "pager.h"
#include "report/report.h"
#include "sample_filter.h"

enum when {
	WHEN_USEFUL,
	ALWAYS,
	NEVER,
};

/**
 * struct annotate - options and results of perf annotate
 * @input: options that choose the recording
 * @filter: options that choose samples
 * @style: form of the output
 * @listing: contents of the listings
 * @symbol: name of the function to annotate; NULL: all
 * @dsos: names of the files whose functions are wanted, separated by commas; NULL: all
 * @min_percent: minimum percentage of a function, of the period of its event
 * @group: show all events side by side
 * @skip_missing: leave out functions that cannot be annotated
 * @quiet: print no warnings
 * @tui: --tui or --stdio was given: always or never browse
 * @browse: open the browser, and print no listing
 * @found: functions for the browser
 * @nr_found: number of @found
 * @names: a text for each view, with the names of the events that the view shows side by side
 * @nr_names: number of @names
 * @view: indexes of the events of the first view, then those of the second one, and so on
 * @hits: samples by function and address
 * @nr_shown: number of listings
 * @nr_missing: number of functions that cannot be annotated
 * @missing: the reason why the first of these cannot be annotated
 */
struct annotate {
	struct input_options input;
	struct sample_filter filter;
	struct annotate_style style;
	struct listing_style listing;
	const char *symbol;
	const char *dsos;
	double min_percent;
	bool group;
	bool skip_missing;
	bool quiet;
	enum when tui;
	bool browse;
	struct code_subject *found;
	size_t nr_found;
	char **names;
	size_t nr_names;
	size_t *view;
	struct code_hits hits;
	size_t nr_shown;
	size_t nr_missing;
	struct error missing;
};

static void handle_record(void *context, struct session *session, const struct record *record)
{
	struct machine *machine = &session->machine;
	const struct perf_event_attr *attr;
	struct annotate *annotate = context;
	struct thread *thread;
	struct location at;

	if (record->type != PERF_RECORD_SAMPLE || !sample_filter_wants(&annotate->filter, record))
		return;
	thread = thread_get(&machine->threads, record->id.pid, record->id.tid);
	if (!in_list(annotate->input.comms, thread->comm) ||
	    !sample_filter_wants_task(&annotate->filter, record->id.pid, record->id.tid))
		return;
	machine_resolve(machine, thread, cpu_mode_of(record->misc), record->sample.ip, &at);
	if (!sample_filter_wants_symbol(&annotate->filter, &at) ||
	    (annotate->filter.hide_unresolved && !at.symbol))
		return;
	code_hits_add(&annotate->hits, machine, &at, record);
	attr = &data_reader_events(session->reader)->events[record->event].attr;
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	    !branches_are_calls(attr->branch_sample_type))
		code_hits_add_branches(&annotate->hits, machine, thread, record,
				       attr->branch_sample_type & PERF_SAMPLE_BRANCH_ANY);
}

/* Return true if @wanted is the name of the function, which may be mangled or without types. */
static bool is_called(struct symbol *symbol, const char *wanted)
{
	const char *name = symbol_name(symbol);
	size_t length = strlen(wanted);

	return !strcmp(symbol->name, wanted) ||
	       (!strncmp(name, wanted, length) && (!name[length] || name[length] == '('));
}

static bool wants_function(const struct annotate *annotate, const struct function_hits *function)
{
	const struct dso *dso = function->at.dso;

	if (annotate->dsos && !in_list(annotate->dsos, dso->name) &&
	    !in_list(annotate->dsos, dso->long_name))
		return false;
	return !annotate->symbol || is_called(function->at.symbol, annotate->symbol);
}

/* Say why a function is not shown, in the place of its instructions. */
static void print_missing(struct annotate *annotate, const struct function_hits *function,
			  const struct error *err)
{
	if (!annotate->nr_missing++)
		annotate->missing = *err;
	printf("%s(): cannot be annotated: ", symbol_name(function->at.symbol));
	fput_name(err->text, stdout);
	fputs("\n\n", stdout);
}

/* Print the names of the events of a view. The caller frees the text. */
static char *names_of(const struct event_table *events, const size_t *view, size_t nr)
{
	char *text;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die("out of memory");
	for (i = 0; i < nr; i++) {
		fputs(i ? ", " : "", out);
		fput_name(events->events[view[i]].name, out);
	}
	fclose(out);
	return text;
}

static void show_function(struct annotate *annotate, const struct function_hits *function,
			  const char *names, const size_t *view, size_t nr)
{
	struct share share = function_share(function, view[0]);
	struct listing listing;
	struct error err;
	int ret;

	ret = listing_make(&listing, &annotate->hits, function, view, nr, &annotate->listing, &err);
	if (ret && annotate->skip_missing) {
		annotate->nr_missing++;
		return;
	}
	annotate_print_title(stdout, &annotate->style, function, names, nr, share.nr);
	if (ret) {
		print_missing(annotate, function, &err);
		return;
	}
	annotate->nr_shown++;
	annotate_print(stdout, &annotate->style, &listing);
	listing_free(&listing);
	fputs("\n\n", stdout);
}

/* Keep the functions of a view for the browser, with the events and their names. */
static void keep_function(struct annotate *annotate, const struct function_hits *function,
			  const char *names, const size_t *view, size_t nr)
{
	annotate->found = xreallocarray(annotate->found, annotate->nr_found + 1,
					sizeof(*annotate->found));
	annotate->found[annotate->nr_found++] = (struct code_subject){
		.hits = &annotate->hits, .function = function, .events = view, .nr_events = nr,
		.names = names,
	};
}

/* Show the functions of events that are side by side, by the weight of the first event. */
static void show_view(struct annotate *annotate, const struct event_table *events,
		      const size_t *view, size_t nr)
{
	char *names = names_of(events, view, nr);
	struct share all = code_hits_share(&annotate->hits, view[0]);
	struct function_hits **functions;
	size_t nr_functions, i;

	functions = code_hits_sorted(&annotate->hits, view[0], &nr_functions);
	for (i = 0; i < nr_functions; i++) {
		struct share share = function_share(functions[i], view[0]);

		if (all.period && 100.0 * share.period / all.period < annotate->min_percent)
			break;
		if (!wants_function(annotate, functions[i]))
			continue;
		if (annotate->browse)
			keep_function(annotate, functions[i], names, view, nr);
		else
			show_function(annotate, functions[i], names, view, nr);
	}
	free(functions);
	annotate->names = xreallocarray(annotate->names, annotate->nr_names + 1,
					sizeof(*annotate->names));
	annotate->names[annotate->nr_names++] = names;
}

/* Show all events side by side, or each group and each event without a group alone. */
static void show_all(struct annotate *annotate, const struct event_table *events)
{
	size_t i, next, nr, *view;

	annotate->view = xcalloc(events->nr, sizeof(*view));
	for (i = 0; i < events->nr; i = next) {
		view = &annotate->view[i];
		nr = 0;
		for (next = i; next < events->nr; next++) {
			const uint32_t group = events->events[next].group;

			if (next > i && !annotate->group &&
			    (!group || group != events->events[i].group))
				break;
			if (code_hits_share(&annotate->hits, next).nr)
				view[nr++] = next;
		}
		if (nr)
			show_view(annotate, events, view, nr);
	}
}

/* Browse the functions that were found. Return: the exit status. */
static int run_browser(struct annotate *annotate)
{
	static const enum code_column columns[] = {
		[COLUMN_PERCENT] = CODE_PERCENT, [COLUMN_SAMPLES] = CODE_SAMPLES,
		[COLUMN_PERIOD] = CODE_PERIOD,
	};
	struct code_style style = {
		.listing = annotate->listing,
		.column = columns[annotate->style.column],
		.type = annotate->style.type,
		.no_source = !annotate->listing.with_source,
		.no_jumps = annotate->style.no_jumps,
	};
	const struct code_input input = {
		.subjects = annotate->found, .nr = annotate->nr_found, .style = &style,
	};
	int status;

	annotate->nr_shown = annotate->nr_found;
	status = annotate->nr_found ? browse_code(&input) : 0;
	annotate->listing.texts = style.listing.texts;
	return status;
}

/*
 * Decide whether the browser opens: on a terminal, if the options ask for nothing that it cannot
 * show. Return: 0, or an exit status if --tui asks for a browser that cannot open.
 */
static int choose_browser(struct annotate *annotate)
{
	bool listing = !annotate->input.dump && !annotate->style.raw &&
		       !annotate->style.print_line && !annotate->quiet &&
		       !annotate->skip_missing;
	struct error err;

	/* In a pipe, --tui prints the listing, as in the kernel's perf. */
	if (annotate->tui == NEVER || (annotate->tui == WHEN_USEFUL && !listing) ||
	    !isatty(STDOUT_FILENO))
		return 0;
	if (!listing) {
		complain("--tui browses functions; leave out -D, --asm-raw, -l, -q and --skip-missing");
		return EXIT_USAGE;
	}
	annotate->browse = browse_can_open(&err);
	if (annotate->browse || annotate->tui == WHEN_USEFUL)
		return 0;
	complain("--tui: %s; use --stdio", err.text);
	return EXIT_FAILED;
}

/* Complain of a function without samples. */
static void complain_of_symbol(const struct annotate *annotate)
{
	struct hash_node **nodes = hash_table_nodes(&annotate->hits.functions);
	struct suggestions names = { .typed = annotate->symbol };
	struct error err;
	size_t i;

	for (i = 0; i < annotate->hits.functions.nr; i++) {
		const struct function_hits *function =
			hash_entry(nodes[i], struct function_hits, node);

		if (function->nr_totals)
			suggestions_add(&names, symbol_name(function->at.symbol));
	}
	free(nodes);
	error_set(&err, "%s: no samples in a function '%s'%s%s", annotate->input.path,
		  annotate->symbol, annotate->dsos ? " of " : "", annotate->dsos ?: "");
	if (!suggestions_say(&names, &err))
		error_add(&err, "; 'perf report -s sym' lists the functions");
	complain("%s", err.text);
}

/* Print warnings and failures after the listings. Return: the exit status. */
static int print_warnings(const struct annotate *annotate, struct session *session)
{
	int status = session_complain(session);

	if (annotate->nr_missing && !annotate->nr_shown) {
		complain("no function can be annotated%s%s", *annotate->missing.text ? ": " : "",
			 annotate->missing.text);
		return EXIT_FAILED;
	}
	if (session->nr_samples && !annotate->nr_shown && annotate->symbol) {
		complain_of_symbol(annotate);
		status = EXIT_FAILED;
	} else if (!annotate->nr_shown && !annotate->quiet) {
		warn("%s: %s", annotate->input.path, session->nr_samples ?
		     "no sample has what the options ask for" : "the recording has no samples");
	}
	if (annotate->quiet)
		return status;
	note_samples(annotate->hits.nr_unknown, "have no known function, so no code is shown",
		     "'perf report -s dso,sym' shows where they are");
	notes_print(session->nr_samples);
	return status;
}

enum {
	OPTION_STDIO = 0x100,
	OPTION_TUI,
	OPTION_GROUP,
	OPTION_PERCENT_LIMIT,
	OPTION_PERCENT_TYPE,
	OPTION_ASM_RAW,
	OPTION_SOURCE,
	OPTION_NO_SOURCE,
	OPTION_SHOW_TOTAL_PERIOD,
	OPTION_SKIP_MISSING,
	OPTION_PREFIX,
	OPTION_PREFIX_STRIP,
	OPTION_NO_JUMPS,
};

static const struct argp_option option_table[] = {
	{ "stdio", OPTION_STDIO, NULL, 0, "Print to the standard output", 0 },
	{ "tui", OPTION_TUI, NULL, 0, "Browse on the terminal (default on a terminal)", 0 },
	{ "symbol", 's', "NAME", 0, "Annotate this function (all with samples)", 0 },
	{ "dsos", 'd', "NAME[,NAME...]", 0, "Only functions of these programs and libraries", 0 },
	{ "dso", 'd', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0 },
	{ "group", OPTION_GROUP, NULL, 0, "Show all events side by side", 0 },
	{ "percent-limit", OPTION_PERCENT_LIMIT, "PERCENT", 0, "Leave out smaller functions", 0 },
	{ "percent-type", OPTION_PERCENT_TYPE, "SCOPE-UNIT", 0,
	  "Percentages of local or global, period or hits (local-period)", 0 },
	{ "show-nr-samples", 'n', NULL, 0, "Show numbers of samples, not percentages", 0 },
	{ "show-total-period", OPTION_SHOW_TOTAL_PERIOD, NULL, 0,
	  "Show sums of periods, not percentages", 0 },
	{ "source", OPTION_SOURCE, NULL, 0,
	  "Show source lines and inlined functions (done by default)", 0 },
	{ "no-source", OPTION_NO_SOURCE, NULL, 0, "Show neither", 0 },
	{ "asm-raw", OPTION_ASM_RAW, NULL, 0, "Show the bytes of instructions", 0 },
	{ "disassembler-style", 'M', "STYLE", 0, "Operands as att or intel writes them (att)", 0 },
	{ "no-jumps", OPTION_NO_JUMPS, NULL, 0, "Draw no jumps; mark no loops and no hot path", 0 },
	{ "print-line", 'l', NULL, 0, "Print source lines behind instructions, and a summary", 0 },
	{ "full-paths", 'P', NULL, 0, "Show whole paths", 0 },
	{ "prefix", OPTION_PREFIX, "DIRECTORY", 0, "Sources are below DIRECTORY", 0 },
	{ "prefix-strip", OPTION_PREFIX_STRIP, "N", 0,
	  "Replace the first N directories of paths by that of --prefix", 0 },
	{ "skip-missing", OPTION_SKIP_MISSING, NULL, 0,
	  "Leave out functions without code here", 0 },
	{ "quiet", 'q', NULL, 0, "Print no titles and no warnings", 0 },
	{ 0 }
};

static void parse_percent_type(struct argp_state *state, struct annotate_style *style,
			       const char *arg)
{
	static const struct {
		const char *name;
		enum percent_type type;
	} types[] = {
		{ "local-period", PERCENT_LOCAL_PERIOD }, { "period-local", PERCENT_LOCAL_PERIOD },
		{ "local-hits", PERCENT_LOCAL_HITS }, { "hits-local", PERCENT_LOCAL_HITS },
		{ "global-period", PERCENT_GLOBAL_PERIOD },
		{ "period-global", PERCENT_GLOBAL_PERIOD },
		{ "global-hits", PERCENT_GLOBAL_HITS }, { "hits-global", PERCENT_GLOBAL_HITS },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (!strcmp(arg, types[i].name)) {
			style->type = types[i].type;
			return;
		}
	}
	argp_error(state,
		   "--percent-type: '%s' is not local or global, '-', and period or hits", arg);
}

static void parse_syntax(struct argp_state *state, struct listing_style *style, const char *arg)
{
	style->intel = !strcmp(arg, "intel");
	if (!style->intel && strcmp(arg, "att"))
		argp_error(state, "-M: '%s' is neither att nor intel", arg);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct annotate *annotate = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &annotate->input;
		state->child_inputs[1] = &annotate->filter;
		return 0;
	case OPTION_STDIO:
		annotate->tui = NEVER;
		return 0;
	case OPTION_TUI:
		annotate->tui = ALWAYS;
		return 0;
	case ARGP_KEY_ARG:
		if (annotate->symbol)
			argp_error(state, "unexpected '%s'; one function is annotated, %s", arg,
				   annotate->symbol);
		annotate->symbol = arg;
		return 0;
	case 's':
		annotate->symbol = arg;
		return 0;
	case 'd':
		annotate->dsos = arg;
		return 0;
	case OPTION_GROUP:
		annotate->group = true;
		return 0;
	case OPTION_PERCENT_LIMIT:
		annotate->min_percent = parse_decimal(state, "--percent-limit", "percent", arg, 0,
						      100);
		return 0;
	case OPTION_PERCENT_TYPE:
		parse_percent_type(state, &annotate->style, arg);
		return 0;
	case 'n':
		annotate->style.column = COLUMN_SAMPLES;
		return 0;
	case OPTION_SHOW_TOTAL_PERIOD:
		annotate->style.column = COLUMN_PERIOD;
		return 0;
	case OPTION_SOURCE:
		annotate->listing.with_source = true;
		return 0;
	case OPTION_NO_SOURCE:
		annotate->listing.with_source = false;
		return 0;
	case OPTION_ASM_RAW:
		annotate->style.raw = true;
		return 0;
	case 'M':
		parse_syntax(state, &annotate->listing, arg);
		return 0;
	case OPTION_NO_JUMPS:
		annotate->style.no_jumps = true;
		return 0;
	case 'l':
		annotate->style.print_line = true;
		return 0;
	case 'P':
		annotate->style.full_paths = true;
		source_show_paths();
		return 0;
	case OPTION_PREFIX:
		annotate->listing.texts.prefix = arg;
		return 0;
	case OPTION_PREFIX_STRIP:
		annotate->listing.texts.strip = parse_number(state, "--prefix-strip", arg, 0, 1000);
		return 0;
	case OPTION_SKIP_MISSING:
		annotate->skip_missing = true;
		return 0;
	case 'q':
		annotate->quiet = true;
		annotate->style.no_titles = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Read the recording, and print the listings. */
static void run(struct annotate *annotate, struct session *session, struct pager *pager)
{
	static const struct session_handlers handlers = { .record = handle_record };

	session->silent = true;
	session_run(session, &handlers, annotate);
	if (!annotate->browse)
		pager_start(pager);
	annotate->style.has_runs = annotate->hits.has_runs;
	annotate->style.has_branches = annotate->hits.has_branches;
	annotate->style.has_cycles = annotate->hits.has_cycles;
	annotate->listing.texts.root = annotate->input.sources.symfs;
	show_all(annotate, data_reader_events(session->reader));
}

static void annotate_free(struct annotate *annotate)
{
	size_t i;

	for (i = 0; i < annotate->nr_names; i++)
		free(annotate->names[i]);
	free(annotate->names);
	free(annotate->found);
	free(annotate->view);
	code_hits_free(&annotate->hits);
	source_texts_free(&annotate->listing.texts);
	sample_filter_free(&annotate->filter);
}

/**
 * cmd_annotate - perf annotate
 * @argc: number of strings in @argv
 * @argv: "perf annotate" and its arguments
 *
 * Return: the exit status.
 */
int cmd_annotate(int argc, char **argv)
{
	/* The argument is a function here, not the recording. */
	const struct argp input = { .options = input_argp.options, .parser = input_argp.parser };
	const struct argp_child children[] = {
		{ &input, 0, NULL, 0 },
		{ &sample_filter_argp, 0, NULL, 0 },
		{ &annotate_drop_in, 0, NULL, 0 },
		{ 0 }
	};
	const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "[FUNCTION]",
		.doc = "Show the instructions of functions, with their shares of the samples.",
		.children = children,
	};
	struct annotate annotate = { .listing = { .with_source = true } };
	struct session session;
	struct pager pager;
	int status, browsed = 0;

	parse_arguments(&argp, argc, argv, 0, &annotate);
	use_terminal_charset();
	annotate.style.ascii = !terminal_has_utf8();
	status = choose_browser(&annotate);
	if (!status)
		status = input_open(&session, &annotate.input);
	if (status) {
		annotate_free(&annotate);
		return status;
	}
	status = sample_filter_start(&annotate.filter, &session);
	if (status) {
		annotate_free(&annotate);
		session_close(&session);
		return status;
	}
	if (annotate.input.dump) {
		pager_start(&pager);
		dump_session(&session);
	} else {
		run(&annotate, &session, &pager);
	}
	if (annotate.browse)
		browsed = run_browser(&annotate);
	status = print_warnings(&annotate, &session);
	if (!status)
		status = browsed;
	if (!annotate.browse)
		pager_end(&pager);
	annotate_free(&annotate);
	session_close(&session);
	return status;
}
