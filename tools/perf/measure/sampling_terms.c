// SPDX-License-Identifier: GPL-2.0
/* Terms of an event that say how it is sampled: "cpu-clock/period=1000,call-graph=dwarf/". */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sampling.h"
#include "sampling_terms.h"

/* The largest number of callers that both subsystems can be asked for. */
#define MAX_STACK 127

enum term { PERIOD, FREQ, CALL_GRAPH, STACK_SIZE, TERM_MAX_STACK, INHERIT, NO_INHERIT, KEEP, TIME };

/* Terms with numbers. A value that is left out means 1. */
static const struct {
	const char *name;
	enum term term;
	unsigned long long min;
	unsigned long long max;
} known[] = {
	{ "period", PERIOD, 1, LLONG_MAX },
	{ "freq", FREQ, 1, UINT_MAX },
	{ "call-graph", CALL_GRAPH, 0, 0 },
	{ "stack-size", STACK_SIZE, 8, USER_STACK_MAX },
	{ "max-stack", TERM_MAX_STACK, 1, MAX_STACK },
	{ "inherit", INHERIT, 0, 1 },
	{ "no-inherit", NO_INHERIT, 0, 1 },
	{ "no-overwrite", KEEP, 0, 1 },
	/* Samples always have times, which order the records of a recording. */
	{ "time", TIME, 0, 1 },
};

/* Terms of the kernel's perf that the tool lacks, and the replacements. */
static const struct {
	const char *name;
	const char *instead;
} refused[] = {
	{ "overwrite", "use --overwrite, and no-overwrite for the events to keep" },
	{ "percore", "use --per-core, which sums up every event" },
	{ "cpu", "use -C CPU, which chooses the CPUs of every event" },
	{ "nr", "use 'perf trace --max-events', or -F and --duration" },
	{ "metric-id", "use -M METRIC, or name= for a name" },
	{ "driver-config", "traces of the hardware are not recorded; use -b for branches" },
	{ "aux-output", "traces of the hardware are not recorded; use -b for branches" },
	{ "aux-action", "traces of the hardware are not recorded; use -b for branches" },
	{ "aux-sample-size", "traces of the hardware are not recorded; use -b for branches" },
};

bool sampling_term_is_known(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strcmp(name, known[i].name))
			return true;
	}
	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		if (!strcmp(name, refused[i].name))
			return true;
	}
	return false;
}

/* Parse a decimal number, or a hexadecimal one after 0x. Return: true if it is in the range. */
static bool parse_term(const char *value, unsigned long long min, unsigned long long max,
		       unsigned long long *number)
{
	bool hexadecimal = !strncasecmp(value, "0x", 2);
	char *end;

	if (!isdigit((unsigned char)*value))
		return false;
	errno = 0;
	*number = strtoull(value, &end, hexadecimal ? 16 : 10);
	return !*end && !errno && *number >= min && *number <= max;
}

static int set_chains(struct sampling_terms *terms, const char *value, struct error *why)
{
	static const struct {
		const char *name;
		enum event_chains chains;
	} modes[] = {
		{ "no", CHAINS_NONE }, { "fp", CHAINS_FRAME_POINTERS },
		{ "lbr", CHAINS_BRANCHES }, { "dwarf", CHAINS_FRAME_INFORMATION },
	};
	size_t i;

	for (i = 0; value && i < ARRAY_SIZE(modes); i++) {
		if (strcmp(value, modes[i].name))
			continue;
		terms->chains = modes[i].chains;
		return 0;
	}
	error_set(why, "call-graph= is one of no, fp, lbr and dwarf");
	return -1;
}

static void set_number(struct sampling_terms *terms, enum term term, unsigned long long number)
{
	switch (term) {
	case PERIOD:
		terms->period = number;
		terms->freq = 0;
		break;
	case FREQ:
		terms->freq = number;
		terms->period = 0;
		break;
	case STACK_SIZE:
		/* The kernel copies whole words of 8 bytes. */
		terms->user_stack = (number + 7) & ~7U;
		break;
	case TERM_MAX_STACK:
		terms->max_stack = number;
		break;
	case INHERIT:
		terms->inherit = number ? INHERIT_YES : INHERIT_NO;
		break;
	case NO_INHERIT:
		terms->inherit = number ? INHERIT_NO : INHERIT_YES;
		break;
	case KEEP:
		terms->keep = number;
		break;
	case CALL_GRAPH:
	case TIME:
		break;
	}
}

static int refuse(const char *name, struct error *why)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		if (!strcmp(name, refused[i].name))
			error_set(why, "%s: %s", name, refused[i].instead);
	}
	return -1;
}

int sampling_term_set(struct sampling_terms *terms, const char *name, const char *value,
		      struct error *why)
{
	unsigned long long number = 1;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known) && strcmp(name, known[i].name); i++)
		;
	if (i == ARRAY_SIZE(known))
		return refuse(name, why);
	if (known[i].term == CALL_GRAPH)
		return set_chains(terms, value, why);
	if (!parse_term(value ?: "1", known[i].min, known[i].max, &number)) {
		error_set(why, "'%s' of '%s' is not a number from %llu to %llu", value ?: "1", name,
			  known[i].min, known[i].max);
		return -1;
	}
	set_number(terms, known[i].term, number);
	return 0;
}

bool sampling_terms_inherit(const struct sampling_terms *terms, bool by_option)
{
	return terms->inherit == INHERIT_BY_OPTION ? by_option : terms->inherit == INHERIT_YES;
}
