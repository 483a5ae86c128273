// SPDX-License-Identifier: GPL-2.0
/* Parsers for values of options that several commands share. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/util.h"
#include "option_values.h"

unsigned long long parse_number(struct argp_state *state, const char *what, const char *text,
				unsigned long long min, unsigned long long max)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || !isdigit((unsigned char)*text) || *end || n < min || n > max)
		argp_error(state, "%s: '%s' is not a number from %llu to %llu", what, text, min,
			   max);
	return n;
}

void parse_list(struct argp_state *state, struct int_list *list, const char *text,
		const char *what)
{
	struct error err;

	if (int_list_parse(list, text, what, &err))
		argp_error(state, "%s", err.text);
}

void parse_events(struct argp_state *state, struct event_list *events, const char *text)
{
	struct error err;
	int status = event_list_parse(events, text, &err);

	if (status)
		argp_failure(state, status, 0, "%s", err.text);
}

void parse_filter(struct argp_state *state, struct event_list *events, const char *text)
{
	struct error err;

	if (event_list_set_filter(events, text, &err))
		argp_failure(state, EXIT_USAGE, 0, "%s", err.text);
}

void parse_freq(struct argp_state *state, struct sampling *s, const char *text)
{
	s->freq_max = !strcmp(text, "max");
	if (!s->freq_max)
		s->freq = parse_number(state, "-F", text, 1, INT_MAX);
}

void parse_period(struct argp_state *state, struct sampling *s, const char *text)
{
	s->period = parse_number(state, "-c", text, 1, LLONG_MAX);
}

void parse_call_graph(struct argp_state *state, struct sampling *s, const char *mode)
{
	const char *size = strchr(mode, ',');
	size_t len = size ? (size_t)(size - mode) : strlen(mode);
	bool dwarf = len == strlen("dwarf") && !strncmp(mode, "dwarf", len);

	/* With fp,defer, a kernel that can do so may record callers in user mode later. */
	if (!dwarf && strcmp(mode, "fp") && strcmp(mode, "fp,defer") && strcmp(mode, "lbr"))
		argp_error(state,
			   "--call-graph: '%s' is not supported; use fp (frame pointers), lbr (branch records) or dwarf[,SIZE] (call frame information, by SIZE bytes of stack)",
			   mode);
	s->callchain = true;
	s->lbr = !strcmp(mode, "lbr");
	s->user_stack = 0;
	if (!dwarf)
		return;
	s->user_stack = USER_STACK_DEFAULT;
	if (size)
		s->user_stack = parse_number(state, "--call-graph dwarf,", size + 1, 8,
					     USER_STACK_MAX);
	/* The kernel copies whole words of 8 bytes. */
	s->user_stack = (s->user_stack + 7) & ~7U;
}

void parse_branch_filter(struct argp_state *state, struct sampling *s, const char *list)
{
	struct error err;

	if (branch_filter_parse(&s->branches, list, &err))
		argp_error(state, "-j: %s", err.text);
}

const char *refuse_branches(const struct sampling *s)
{
	if (s->lbr && s->branches)
		return "--call-graph lbr takes the records that -b and -j want; use fp";
	return NULL;
}

double parse_decimal(struct argp_state *state, const char *what, const char *unit,
		     const char *text, double min, double max)
{
	double number;
	char *end;

	number = strtod(text, &end);
	if (end == text || *end || !(number >= min && number <= max))
		argp_error(state, "%s: '%s' is not a number of %s from %g to %.0f", what, text,
			   unit, min, max);
	return number;
}

clockid_t parse_clock(struct argp_state *state, const char *what, const char *text)
{
	static const struct {
		const char *name;
		clockid_t clock;
	} clocks[] = {
		{ "monotonic", CLOCK_MONOTONIC },
		{ "mono", CLOCK_MONOTONIC },
		{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
		{ "mono_raw", CLOCK_MONOTONIC_RAW },
		{ "raw", CLOCK_MONOTONIC_RAW },
		{ "realtime", CLOCK_REALTIME },
		{ "real", CLOCK_REALTIME },
		{ "boottime", CLOCK_BOOTTIME },
		{ "boot", CLOCK_BOOTTIME },
		{ "tai", CLOCK_TAI },
	};
	static const char prefix[] = "CLOCK_";
	const char *name = text;
	size_t i;

	if (!strncasecmp(name, prefix, strlen(prefix)))
		name += strlen(prefix);
	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		if (!strcasecmp(name, clocks[i].name))
			return clocks[i].clock;
	}
	argp_error(state,
		   "%s: unknown clock '%s'; use monotonic, monotonic_raw, realtime, boottime or tai",
		   what, text);
	return 0;
}

double parse_size(struct argp_state *state, const char *what, const char *text)
{
	static const struct quantity_unit units[] = {
		{ "", 1 }, { "B", 1 }, { "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 },
		{ NULL, 0 },
	};
	double size = 0;

	if (!quantity_parse(text, units, &size))
		argp_error(state, "%s: '%s' is not a size such as 100M", what, text);
	return size;
}

size_t parse_pages(struct argp_state *state, const char *text)
{
	static const char units[] = "KMG";
	const size_t page_size = sysconf(_SC_PAGESIZE), max = (size_t)1 << 30;
	unsigned long long n;
	size_t pages = 1;
	const char *unit;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || !isdigit((unsigned char)*text) || !n || n > max) {
		n = 0;
	} else if (*end) {
		unit = strchr(units, toupper((unsigned char)*end));
		n = unit && !end[1] ? (n << (10 * (unit - units + 1))) : 0;
		if (n > max)
			n = 0;
		n = (n + page_size - 1) / page_size;
	}
	if (!n || n > max / page_size)
		argp_error(state, "-m: '%s' is not a number of pages or a size up to 1G", text);
	while (pages < n)
		pages *= 2;
	return pages;
}

char parse_separator(struct argp_state *state, const char *text)
{
	if (!strcmp(text, "\\t"))
		return '\t';
	if (!text[0] || text[1] || text[0] == '.')
		argp_error(state, "-t: '%s' is not one character other than '.'", text);
	return text[0];
}

int use_priority(int priority, struct error *err)
{
	const struct sched_param param = { .sched_priority = priority };

	if (!priority || !sched_setscheduler(0, SCHED_FIFO, &param))
		return 0;
	error_set(err, "-r %d: %s; be root, or leave -r out", priority, strerror(errno));
	return -1;
}
