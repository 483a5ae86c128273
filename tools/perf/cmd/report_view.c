// SPDX-License-Identifier: GPL-2.0
/* The options of perf report that choose columns, chains and the form of the table. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"
#include "option_values.h"
#include "report_view.h"

/* The functions that are parents without -p. */
#define DEFAULT_PARENT "^sys_|^do_page_fault"

enum {
	OPTION_HIERARCHY = 0x100,
	OPTION_TOTAL_PERIOD,
	OPTION_PERCENTAGE,
	OPTION_STATS,
	OPTION_MAX_STACK,
	OPTION_CHAIN_MEMORY,
	OPTION_IGNORE_CALLEES,
	OPTION_NO_DEMANGLE,
	OPTION_WIDE,
	OPTION_LATENCY,
	OPTION_PARALLELISM,
};

static const struct argp_option view_table[] = {
	{ "fields", 'F', "FIELD[,FIELD...]", 0,
	  "Columns: overhead, latency, sample, period, and keys of --sort; +FIELD adds to the default",
	  0 },
	{ "latency", OPTION_LATENCY, NULL, 0,
	  "Sort by the share of the elapsed time (record with --latency)", 0 },
	{ "parallelism", OPTION_PARALLELISM, "N[,N...]", 0,
	  "Only samples when so many threads were running: 1,3-8 (record with --latency)", 0 },
	{ "show-total-period", OPTION_TOTAL_PERIOD, NULL, 0, "Show the period of each row", 0 },
	{ "hierarchy", OPTION_HIERARCHY, NULL, 0,
	  "Show rows of the first key, and below each the rows of the next key", 0 },
	{ "inverted", 'G', NULL, 0, "Show call chains from the outermost function, as -g caller",
	  0 },
	{ "max-stack", OPTION_MAX_STACK, "N", 0, "Use at most N functions of a call chain", 0 },
	{ "chain-memory", OPTION_CHAIN_MEMORY, "MB", 0,
	  "Memory for call chains; if they need more, only sums of rare ones are kept (128)", 0 },
	{ "ignore-callees", OPTION_IGNORE_CALLEES, "REGEX", 0,
	  "Count callees of these functions as part of the functions", 0 },
	{ "parent", 'p', "REGEX", 0,
	  "The functions that are parents, for the key parent (" DEFAULT_PARENT ")", 0 },
	{ "exclude-other", 'x', NULL, 0, "Only samples with a parent", 0 },
	{ "percentage", OPTION_PERCENTAGE, "relative|absolute", 0,
	  "Percentages of the samples that filters leave, or of all samples (absolute)", 0 },
	{ "column-widths", 'w', "WIDTH[,WIDTH...]", 0, "Widths of the columns", 0 },
	{ "wide", OPTION_WIDE, NULL, 0,
	  "Show names in full, also where the table is then wider than the terminal", 0 },
	{ "no-demangle", OPTION_NO_DEMANGLE, NULL, 0, "Show names as compilers write them", 0 },
	{ "stats", OPTION_STATS, NULL, 0, "Print how many records of each type there are", 0 },
	{ "quiet", 'q', NULL, 0, "Print no titles and no warnings", 0 },
	{ 0 }
};

static void parse_widths(struct argp_state *state, struct report_style *style, const char *text)
{
	char *end;

	for (style->nr_widths = 0;; text = end + 1) {
		unsigned long width = strtoul(text, &end, 10);

		if (!isdigit((unsigned char)*text) || (*end && *end != ',') || width > 1000 ||
		    style->nr_widths == REPORT_COLUMNS_MAX)
			argp_error(state, "-w: '%s' are not numbers of characters", text);
		style->widths[style->nr_widths++] = width;
		if (!*end)
			return;
	}
}

static void parse_regex(struct argp_state *state, regex_t *regex, const char *option,
			const char *text)
{
	if (regcomp(regex, text, REG_EXTENDED | REG_NOSUB))
		argp_error(state, "%s: '%s' is not a regular expression", option, text);
}

static void parse_percentage(struct argp_state *state, struct report_view *view, const char *text)
{
	view->relative = !strcmp(text, "relative");
	if (!view->relative && strcmp(text, "absolute"))
		argp_error(state, "--percentage: '%s' is neither relative nor absolute", text);
}

static void parse_levels(struct argp_state *state, struct report_view *view, const char *text)
{
	parse_list(state, &view->levels, text, "number of threads");
	if (int_list_has(&view->levels, 0))
		argp_error(state, "--parallelism: a sample is that of a running thread, so that at least 1 runs");
}

static error_t parse_view_option(int key, char *arg, struct argp_state *state)
{
	struct report_view *view = state->input;

	switch (key) {
	case 'F':
		view->fields = arg;
		return 0;
	case OPTION_TOTAL_PERIOD:
		view->style->with_periods = true;
		return 0;
	case OPTION_HIERARCHY:
		view->style->hierarchy = true;
		return 0;
	case 'G':
		view->style->chains.order = ORDER_CALLER;
		return 0;
	case OPTION_MAX_STACK:
		view->max_stack = parse_number(state, "--max-stack", arg, 1, 1000000);
		return 0;
	case OPTION_CHAIN_MEMORY:
		view->style->chains.memory =
			parse_number(state, "--chain-memory", arg, 1, 1000000) << 20;
		return 0;
	case OPTION_IGNORE_CALLEES:
		parse_regex(state, &view->callees, "--ignore-callees", arg);
		view->has_callees = true;
		return 0;
	case 'p':
		parse_regex(state, &view->parent, "-p", arg);
		view->has_parent = true;
		return 0;
	case 'x':
		view->exclude_other = true;
		return 0;
	case OPTION_PERCENTAGE:
		parse_percentage(state, view, arg);
		return 0;
	case 'w':
		parse_widths(state, view->style, arg);
		return 0;
	case OPTION_LATENCY:
		view->latency = true;
		return 0;
	case OPTION_PARALLELISM:
		parse_levels(state, view, arg);
		return 0;
	case OPTION_WIDE:
		view->wide = true;
		return 0;
	case OPTION_NO_DEMANGLE:
		demangle_disable();
		return 0;
	case OPTION_STATS:
		view->stats = true;
		return 0;
	case 'q':
		view->quiet = true;
		view->style->no_titles = true;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!view->has_parent)
			parse_regex(state, &view->parent, "-p", DEFAULT_PARENT);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp report_view_argp = {
	.options = view_table,
	.parser = parse_view_option,
};

static bool take_number(struct report_style *style, const char *name, size_t length)
{
	static const struct {
		const char *name;
		size_t column;
	} numbers[] = {
		{ "overhead", offsetof(struct report_style, with_overhead) },
		{ "overhead_children", offsetof(struct report_style, with_overhead) },
		{ "latency", offsetof(struct report_style, with_latency) },
		{ "latency_children", offsetof(struct report_style, with_latency) },
		{ "sample", offsetof(struct report_style, with_counts) },
		{ "period", offsetof(struct report_style, with_periods) },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (strlen(numbers[i].name) != length || strncmp(numbers[i].name, name, length))
			continue;
		*(bool *)((char *)style + numbers[i].column) = true;
		style->latency_first |= style->with_latency && !style->with_overhead;
		return true;
	}
	return false;
}

char *report_take_numbers(struct report_style *style, const char *list)
{
	char *keys = xcalloc(strlen(list) + 1, 1), *end = keys;

	while (*list) {
		size_t length = strcspn(list, ",");

		if (!take_number(style, list, length)) {
			if (end > keys)
				*end++ = ',';
			memcpy(end, list, length);
			end += length;
		}
		list += length;
		list += *list == ',';
	}
	return keys;
}

static bool matches(const regex_t *regex, const struct location *at)
{
	return at->symbol && !regexec(regex, symbol_name(at->symbol), 0, NULL, 0);
}

bool report_view_wants_level(const struct report_view *view, uint32_t running)
{
	return !view->levels.nr || int_list_has(&view->levels, running);
}

void report_view_cut(const struct report_view *view, struct callchain *chain, struct location *at)
{
	size_t i, first = 0;

	if (view->max_stack && chain->nr > view->max_stack)
		chain->nr = view->max_stack;
	if (!view->has_callees)
		return;
	for (i = 0; i < chain->nr; i++) {
		if (matches(&view->callees, &chain->frames[i]))
			first = i;
	}
	if (!first)
		return;
	*at = chain->frames[first];
	chain->nr -= first;
	memmove(chain->frames, chain->frames + first, chain->nr * sizeof(*chain->frames));
}

const char *report_view_parent(const struct report_view *view, const struct callchain *chain)
{
	size_t i;

	for (i = 0; i < chain->nr; i++) {
		if (matches(&view->parent, &chain->frames[i]))
			return symbol_name(chain->frames[i].symbol);
	}
	return NULL;
}

void report_view_free(struct report_view *view)
{
	if (view->has_callees)
		regfree(&view->callees);
	regfree(&view->parent);
	int_list_free(&view->levels);
}
