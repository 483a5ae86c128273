// SPDX-License-Identifier: GPL-2.0
/* The options that choose samples of a recording: by time, task, CPU and function. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"
#include "option_values.h"
#include "sample_filter.h"

enum {
	OPTION_TIME = 0x100,
	OPTION_TID,
	OPTION_PID,
	OPTION_SYMBOL_PART,
};

static const struct argp_option filter_table[] = {
	{ "time", OPTION_TIME, "SPAN", 0,
	  "Only samples of this time: START,STOP in seconds, 10%-20%, or 10%/2, the second tenth",
	  0 },
	{ "tid", OPTION_TID, "TID[,TID...]", 0, "Only samples of these threads", 0 },
	{ "pid", OPTION_PID, "PID[,PID...]", 0, "Only samples of these processes", 0 },
	{ "cpu", 'C', "CPU[,CPU...]", 0, "Only samples of these CPUs: 0,2-3", 0 },
	{ "symbols", 'S', "NAME[,NAME...]", 0, "Only samples in these functions", 0 },
	{ "symbol-filter", OPTION_SYMBOL_PART, "TEXT", 0,
	  "Only samples in functions whose names contain TEXT", 0 },
	{ "hide-unresolved", 'U', NULL, 0, "Leave out samples without a known function", 0 },
	{ 0 }
};

static error_t parse_filter_option(int key, char *arg, struct argp_state *state)
{
	struct sample_filter *f = state->input;

	switch (key) {
	case OPTION_TIME:
		f->time = arg;
		return 0;
	case OPTION_TID:
		parse_list(state, &f->tids, arg, "thread id");
		return 0;
	case OPTION_PID:
		parse_list(state, &f->pids, arg, "process id");
		return 0;
	case 'C':
		parse_list(state, &f->cpus, arg, "CPU");
		return 0;
	case 'S':
		f->symbols = arg;
		return 0;
	case OPTION_SYMBOL_PART:
		f->part = arg;
		return 0;
	case 'U':
		f->hide_unresolved = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp sample_filter_argp = {
	.options = filter_table,
	.parser = parse_filter_option,
};

static void add_span(struct sample_filter *f, uint64_t start, uint64_t end)
{
	f->spans = xreallocarray(f->spans, f->nr_spans + 1, sizeof(*f->spans));
	f->spans[f->nr_spans++] = (struct time_span){ start, end };
}

/* Parse seconds with up to nine decimals. Return: the end of the number, or NULL. */
static const char *parse_ns(const char *text, uint64_t *ns)
{
	unsigned long long seconds;
	uint64_t unit = 100000000;
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	seconds = strtoull(text, &end, 10);
	if (errno || seconds > UINT64_MAX / 1000000000 - 1)
		return NULL;
	*ns = seconds * 1000000000;
	if (*end != '.')
		return end;
	for (end++; isdigit((unsigned char)*end); end++) {
		*ns += (*end - '0') * unit;
		unit /= 10;
	}
	return end;
}

/* Parse "START,STOP"; one of the two times may be missing. Return: true if @text is such a span. */
static bool add_times(struct sample_filter *f, const char *text)
{
	uint64_t start = 0, end = UINT64_MAX;

	if (*text != ',') {
		text = parse_ns(text, &start);
		if (!text)
			return false;
	}
	if (*text == ',' && *++text) {
		text = parse_ns(text, &end);
		if (!text)
			return false;
	}
	if (*text || start > end)
		return false;
	add_span(f, start, end);
	return true;
}

/* Parse a number from 0 to 100 and the % after it. Return: the text after the %, or NULL. */
static const char *parse_percent(const char *text, double *percent)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	*percent = strtod(text, &end);
	return *end == '%' && *percent <= 100 ? end + 1 : NULL;
}

/*
 * Add the part of the recording between two percentages. Its end belongs to the next part, unless
 * it is the end of the recording.
 */
static bool add_part(struct sample_filter *f, const struct data_features *features, double from,
		     double to)
{
	uint64_t length = features->last_time - features->first_time;
	uint64_t start, end;

	if (from < 0 || to > 100 || from > to)
		return false;
	start = features->first_time + (uint64_t)round(from / 100 * length);
	end = features->first_time + (uint64_t)round(to / 100 * length);
	if (end > start && end != features->last_time)
		end--;
	add_span(f, start, end);
	return true;
}

/* Parse "A%-B%", "A%/N" or "A%", which is "A%/1". Return: true if @text is such a part. */
static bool add_percents(struct sample_filter *f, const struct data_features *features,
			 const char *text)
{
	double first, second;
	unsigned long n = 1;
	char *end;

	text = parse_percent(text, &first);
	if (!text)
		return false;
	if (*text == '-') {
		text = parse_percent(text + 1, &second);
		return text && !*text && add_part(f, features, first, second);
	}
	if (*text == '/') {
		if (!isdigit((unsigned char)text[1]))
			return false;
		n = strtoul(text + 1, &end, 10);
		text = end;
	}
	return !*text && n && n <= 10000 &&
	       add_part(f, features, first * (n - 1), first * n);
}

/* Parse parts that are separated by commas or blanks. */
static bool parse_parts(struct sample_filter *f, const struct data_features *features)
{
	char *copy = xstrdup(f->time), *rest = copy, *part;
	bool good = true;

	while (good && (part = strsep(&rest, ", ")))
		good = !*part || add_percents(f, features, part);
	free(copy);
	return good;
}

/* Parse spans that are separated by blanks. */
static bool parse_spans(struct sample_filter *f)
{
	char *copy = xstrdup(f->time), *rest = copy, *span;
	bool good = true;

	while (good && (span = strsep(&rest, " ")))
		good = !*span || add_times(f, span);
	free(copy);
	return good;
}

/* Return true if samples of an event have CPUs. In a pipe, the events are not known yet. */
static bool has_cpus(const struct event_table *events)
{
	size_t i;

	for (i = 0; i < events->nr; i++) {
		if (events->events[i].attr.sample_type & PERF_SAMPLE_CPU)
			return true;
	}
	return !events->nr;
}

int sample_filter_start(struct sample_filter *f, const struct session *session)
{
	const struct data_features *features = data_reader_features(session->reader);
	bool percents = f->time && strchr(f->time, '%');

	if (f->cpus.nr && !has_cpus(data_reader_events(session->reader))) {
		complain("-C: the samples have no CPU; leave -C out, or record with -a or -C");
		return EXIT_USAGE;
	}
	if (!f->time)
		return 0;
	if (percents && !features->last_time) {
		complain("--time: the recording does not say when it began, so give START,STOP in seconds");
		return EXIT_USAGE;
	}
	if ((percents ? parse_parts(f, features) : parse_spans(f)) && f->nr_spans)
		return 0;
	complain("--time: '%s' is not START,STOP in seconds, A%%-B%%, or A%%/N", f->time);
	return EXIT_USAGE;
}

bool sample_filter_wants(const struct sample_filter *f, const struct record *record)
{
	size_t i;

	if (f->cpus.nr && !int_list_has(&f->cpus, record->id.cpu))
		return false;
	if (!f->nr_spans)
		return true;
	for (i = 0; i < f->nr_spans; i++) {
		if (record->id.time >= f->spans[i].start && record->id.time <= f->spans[i].end)
			return true;
	}
	return false;
}

bool sample_filter_wants_task(const struct sample_filter *f, int pid, int tid)
{
	return (!f->pids.nr || int_list_has(&f->pids, pid)) &&
	       (!f->tids.nr || int_list_has(&f->tids, tid));
}

bool sample_filter_wants_symbol(const struct sample_filter *f, const struct location *at)
{
	const char *name;

	if (!f->symbols && !f->part)
		return true;
	if (!at->symbol)
		return false;
	name = symbol_name(at->symbol);
	return in_list(f->symbols, name) && (!f->part || strstr(name, f->part));
}

void sample_filter_free(struct sample_filter *f)
{
	free(f->spans);
	int_list_free(&f->pids);
	int_list_free(&f->tids);
	int_list_free(&f->cpus);
}
