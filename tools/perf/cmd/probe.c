// SPDX-License-Identifier: GPL-2.0
/* perf probe: define events at places in a program or in the kernel. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe.h"
#include "util/util.h"
#include "arguments.h"
#include "cmd.h"
#include "drop_in.h"
#include "pager.h"

enum probe_action { NO_ACTION, ADD, DELETE, LIST, VARIABLES, FUNCTIONS, LINES };

enum { OPTION_FILTER = 0x2000 };

struct probe_options {
	enum probe_action action;
	const char *binary;
	const char *vmlinux;
	const char *text;		/* definition, pattern or function, or NULL */
	const char *filter;		/* of the names of functions */
	const char *module;		/* module of the kernel */
	const char *prefix;		/* directory of the sources */
	char **words;			/* plain arguments */
	bool dry_run;
	bool only_lines;		/* print nothing but the lines for tracefs */
};

/* The file that contains the place, if there is one. It stays open while the event is made. */
struct source {
	struct binary binary;
	bool has_binary;
	bool in_kernel;
};

static const struct argp_option option_table[] = {
	{ "add", 'a', "DEFINITION", 0,
	  "Define an event: [[GROUP:]EVENT=]FUNCTION[+OFFSET|:LINE|%return] [ARG...], or FILE:LINE",
	  1 },
	{ "definition", 'D', "DEFINITION", 0,
	  "Print the line for tracefs alone, and define nothing", 1 },
	{ "del", 'd', "EVENT", 0, "Delete events: [GROUP:]EVENT, which may be a pattern", 1 },
	{ "list", 'l', NULL, 0, "List the defined events, or only those that match a pattern",
	  1 },
	{ "vars", 'V', "FUNCTION", 0, "List the variables at the beginning of a function", 1 },
	{ "funcs", 'F', "FILTER", OPTION_ARG_OPTIONAL,
	  "List the functions of the program, the kernel or the module", 1 },
	{ "line", 'L', "LINES", 0,
	  "List lines that can be probed: FUNCTION[@FILE] or FILE, and [:FIRST[+NUMBER|-LAST]]",
	  1 },
	{ "source", 's', "DIRECTORY", 0, "With --line: put this before the path of the source", 2 },
	{ "filter", OPTION_FILTER, "FILTER", 0,
	  "With --funcs: patterns with !, & and | (" FUNCTIONS_FILTER ")", 2 },
	{ "module", 'm', "MODULE", 0, "The module of the kernel that has the function", 2 },
	{ "exec", 'x', "FILE", 0, "Probe this program or library, not the kernel", 2 },
	{ "vmlinux", 'k', "FILE", 0, "vmlinux of the running kernel, with debug information", 2 },
	{ "dry-run", 'n', NULL, 0, "Print the lines for tracefs without writing them", 3 },
	{ 0 },
};

static void set_action(struct argp_state *state, enum probe_action action, const char *text)
{
	struct probe_options *o = state->input;

	if (o->action)
		argp_error(state, "--add, --definition, --del, --list, --vars, --funcs and --line: only one of them, once");
	o->action = action;
	o->text = text;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct probe_options *o = state->input;

	switch (key) {
	case 'a':
		set_action(state, ADD, arg);
		break;
	case 'D':
		set_action(state, ADD, arg);
		o->dry_run = true;
		o->only_lines = true;
		break;
	case 'd':
		set_action(state, DELETE, arg);
		break;
	case 'l':
		set_action(state, LIST, NULL);
		break;
	case 'V':
		set_action(state, VARIABLES, arg);
		break;
	case 'F':
		set_action(state, FUNCTIONS, NULL);
		if (arg)
			o->filter = arg;
		break;
	case 'L':
		set_action(state, LINES, arg);
		break;
	case 's':
		o->prefix = arg;
		break;
	case OPTION_FILTER:
		o->filter = arg;
		break;
	case 'm':
		o->module = arg;
		break;
	case 'x':
		o->binary = arg;
		break;
	case 'k':
		o->vmlinux = arg;
		break;
	case 'n':
		o->dry_run = true;
		break;
	case ARGP_KEY_ARGS:
		o->words = state->argv + state->next;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp probe_argp = {
	.options = option_table,
	.parser = parse_option,
	.children = (const struct argp_child[]){ { &probe_drop_in, 0, NULL, 0 }, { 0 } },
	.args_doc = "[DEFINITION]",
	.doc = "Define events at places in a program or in the kernel.",
};

static const char *refuse_options(const struct probe_options *o)
{
	bool has_words = o->words && o->words[0];

	if (o->binary && o->module)
		return "-x is for a program or library, and -m for a module; give one of them";
	if (o->filter && o->action != FUNCTIONS)
		return "--filter is for --funcs";
	if (o->filter && !name_filter_is_valid(o->filter))
		return "--filter: give patterns with !, &, | and parentheses: '!_* & !*@plt'";

	if (o->binary && o->vmlinux)
		return "-x is for a program or library, and -k for the kernel; give one of them";
	if (!o->action && !has_words)
		return "nothing to do; give a definition or an option; see --help";
	if (o->action && o->action != LIST && has_words)
		return "each option takes one argument; put it in quotes";
	if (o->action == LIST && has_words && o->words[1])
		return "--list takes one pattern";
	if ((o->action == LIST || o->action == DELETE) && (o->binary || o->vmlinux))
		return "--list and --del work on all events; leave out -x and -k";
	if (o->prefix && o->action != LINES)
		return "--source is for --line";
	if (o->dry_run && o->action && o->action != ADD && o->action != DELETE)
		return "-n is for --add and --del";
	return NULL;
}

/* Join the plain arguments to one text, which the caller frees. */
static char *join(char **words)
{
	char *text = xstrdup(""), *longer;

	for (; words && *words; words++) {
		longer = xasprintf("%s%s%s", text, *text ? " " : "", *words);
		free(text);
		text = longer;
	}
	return text;
}

/* Return true if the definition needs debug information, not only the name of a function. */
static bool needs_debug(const struct definition *d)
{
	size_t i;

	for (i = 0; i < d->nr_args; i++) {
		if (!d->args[i].raw)
			return true;
	}
	return d->has_line;
}

static int open_kernel(struct source *source, const struct probe_options *o, bool needed,
		       struct error *err)
{
	char *path = needed || o->vmlinux ? kernel_vmlinux(o->vmlinux, err) : NULL;
	int ret;

	source->in_kernel = true;
	if (!path && !needed && !o->vmlinux)
		return 0;
	if (!path) {
		if (!*err->text)
			error_set(err, "lines and variables of the kernel need -k VMLINUX, %s",
				  "with debug information");
		return -1;
	}
	source->has_binary = true;
	ret = binary_open(&source->binary, path, err);
	free(path);
	return ret;
}

static int open_source(struct source *source, const struct probe_options *o, bool needed,
		       struct error *err)
{
	if (!o->binary)
		return open_kernel(source, o, needed, err);
	source->has_binary = true;
	return binary_open(&source->binary, o->binary, err);
}

static int make_line(struct event_line *line, const struct probe_options *o,
		     const struct definition *d, struct error *err)
{
	struct source source = { 0 };
	struct place place = { 0 };
	int ret = open_source(&source, o, needs_debug(d), err);

	if (!ret && source.has_binary)
		ret = place_find(&place, &source.binary, d, err);
	if (!ret && source.in_kernel)
		ret = kernel_function_check(source.has_binary ? place.function : d->function, err);
	if (!ret)
		ret = event_line_make(line, d, source.has_binary ? &place : NULL,
				      source.in_kernel, err);
	place_free(&place);
	if (source.has_binary)
		binary_close(&source.binary);
	return ret;
}

static void say_added(const struct probe_options *o, const struct event_line *line)
{
	printf("Added: %s:%s (on %s", line->group, line->event, line->where);
	if (o->binary) {
		fputs(" in ", stdout);
		fput_name(o->binary, stdout);
	}
	printf("); use it with: perf record -e %s:%s -a sleep 1\n", line->group, line->event);
}

static int add(const struct probe_options *o, const char *text, struct error *err)
{
	struct event_line line = { 0 };
	struct definition definition;
	int status = 0;

	if (definition_parse(&definition, text, err))
		status = EXIT_USAGE;
	else if (make_line(&line, o, &definition, err))
		status = EXIT_FAILED;
	else if (o->only_lines)
		puts(line.text);
	else if (o->dry_run)
		printf("%s: %s\n", line.in_kernel ? "kprobe_events" : "uprobe_events", line.text);
	else if (probe_events_add(line.text, line.in_kernel, err))
		status = EXIT_FAILED;
	else
		say_added(o, &line);
	event_line_free(&line);
	definition_free(&definition);
	return status;
}

/* Options of a deletion, and the number of deleted events. */
struct deletion {
	struct error *err;
	bool dry_run;
	size_t nr;
};

static int delete_event(void *context, const struct probe_event *event)
{
	struct deletion *d = context;

	d->nr++;
	if (!d->dry_run && probe_events_delete(event, d->err))
		return -1;
	fputs(d->dry_run ? "Would delete: " : "Deleted: ", stdout);
	fput_name(event->name, stdout);
	putchar('\n');
	return 0;
}

static int delete(const struct probe_options *o, struct error *err)
{
	struct deletion d = { .err = err, .dry_run = o->dry_run };

	if (probe_events_walk(o->text, delete_event, &d, err))
		return EXIT_FAILED;
	if (d.nr)
		return 0;
	error_set(err, "no event matches '%s'; see perf probe --list", o->text);
	return EXIT_FAILED;
}

static int list_event(void *context, const struct probe_event *event)
{
	fputs("  ", stdout);
	fput_name(event->name, stdout);
	printf("%*s (on ", (int)(20 - strnlen(event->name, 20)), "");
	event_place_print(context, event, stdout);
	puts(")");
	return 0;
}

static int list(const struct probe_options *o, struct error *err)
{
	const char *pattern = o->words ? o->words[0] : NULL;

	struct event_places places = { 0 };
	int ret;

	ret = probe_events_walk(pattern, list_event, &places, err);
	event_places_free(&places);
	return ret ? EXIT_FAILED : 0;
}

static int show_variables(const struct probe_options *o, struct error *err)
{
	struct definition definition;
	struct source source = { 0 };
	struct place place = { 0 };
	int status = 0;

	if (definition_parse(&definition, o->text, err)) {
		status = EXIT_USAGE;
	} else if (!definition.function || definition.offset || definition.has_line ||
		   definition.is_return || definition.nr_args || definition.event) {
		error_set(err, "--vars takes the name of a function, not '%s'", o->text);
		status = EXIT_USAGE;
	} else if (open_source(&source, o, true, err) ||
		   place_find(&place, &source.binary, &definition, err) ||
		   fetch_print_variables(stdout, &place, err)) {
		status = EXIT_FAILED;
	}
	place_free(&place);
	if (source.has_binary)
		binary_close(&source.binary);
	definition_free(&definition);
	return status;
}

static int show_functions(const struct probe_options *o, struct error *err)
{
	struct source source = { 0 };
	int status = 0;

	if (open_source(&source, o, false, err) ||
	    functions_print(stdout, source.has_binary ? &source.binary : NULL, o->module,
			    o->filter ?: FUNCTIONS_FILTER, err))
		status = EXIT_FAILED;
	if (source.has_binary)
		binary_close(&source.binary);
	return status;
}

static int show_lines(const struct probe_options *o, struct error *err)
{
	struct source source = { 0 };
	struct line_range range;
	struct pager pager;
	int status = 0;

	if (line_range_parse(&range, o->text, err)) {
		status = EXIT_USAGE;
	} else if (open_source(&source, o, true, err)) {
		status = EXIT_FAILED;
	} else {
		pager_start(&pager);
		if (listing_print(stdout, &source.binary, &range, o->prefix, err))
			status = EXIT_FAILED;
		pager_end(&pager);
	}
	line_range_free(&range);
	if (source.has_binary)
		binary_close(&source.binary);
	return status;
}

static int run_action(const struct probe_options *o, struct error *err)
{
	char *text;
	int status;

	switch (o->action) {
	case ADD:
		return add(o, o->text, err);
	case DELETE:
		return delete(o, err);
	case LIST:
		return list(o, err);
	case VARIABLES:
		return show_variables(o, err);
	case FUNCTIONS:
		return show_functions(o, err);
	case LINES:
		return show_lines(o, err);
	default:
		text = join(o->words);
		status = add(o, text, err);
		free(text);
		return status;
	}
}

/**
 * cmd_probe - perf probe
 * @argc: number of strings in @argv
 * @argv: "perf probe" and its arguments
 *
 * Return: the exit status.
 */
int cmd_probe(int argc, char **argv)
{
	struct probe_options options = { 0 };
	struct error err = { "" };
	const char *refusal;
	int status;

	parse_arguments(&probe_argp, argc, argv, 0, &options);
	/* As in the kernel's perf, the word after --funcs may be its filter. */
	if (options.action == FUNCTIONS && !options.filter && options.words && options.words[0]) {
		options.filter = options.words[0];
		options.words++;
	}
	refusal = refuse_options(&options);
	if (refusal) {
		complain("%s", refusal);
		return EXIT_USAGE;
	}
	status = run_action(&options, &err);
	if (status)
		complain("%s", err.text);
	return status;
}
