// SPDX-License-Identifier: GPL-2.0
/* perf list: the choice of listed events, by words for kinds and by patterns. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/measure.h"
#include "util/util.h"
#include "list_filter.h"

const struct list_kind list_kinds[] = {
	{ "hw", "hardware", "Hardware event", PERF_TYPE_HARDWARE },
	{ "sw", "software", "Software event", PERF_TYPE_SOFTWARE },
	{ "cache", "hwcache", "Hardware cache event", PERF_TYPE_HW_CACHE },
	{ "raw", "rNNN", "Raw hardware event descriptor", PERF_TYPE_RAW },
	{ "tool", NULL, "Tool event", KIND_TOOL },
	{ "tracepoint", NULL, "Tracepoint event", PERF_TYPE_TRACEPOINT },
	{ "pmu", NULL, "Kernel PMU event", KIND_PMU },
	{ "vendor", "pfm", "Vendor event", KIND_VENDOR },
	{ "metric", "metrics", "Metric", KIND_METRIC },
	{ 0 },
};

static bool is_word_of(const struct list_kind *kind, const char *word)
{
	return !strcmp(word, kind->word) || (kind->alias && !strcmp(word, kind->alias));
}

bool list_is_kind_word(const char *word)
{
	const struct list_kind *kind;

	for (kind = list_kinds; kind->word; kind++) {
		if (is_word_of(kind, word))
			return true;
	}
	return false;
}

/* True after the kernel refused to try an event. */
static bool refused;

bool list_can_count(const struct perf_event_attr *attr)
{
	bool can = syscall_can_count(attr);

	refused |= can && (errno == EACCES || errno == EPERM);
	return can;
}

/* Return true if all tracepoints are asked for. */
static bool wants_tracepoints(const struct list_options *o)
{
	const struct list_kind *kind;

	for (kind = list_kinds; kind->type != PERF_TYPE_TRACEPOINT; kind++)
		;
	return !o->pmu && list_kind_is_wanted(o, kind);
}

void list_warn(const struct list_options *o)
{
	if (refused)
		warn("this user may not try all events, so the list may have some that this machine lacks; be root or have CAP_PERFMON");
	if (wants_tracepoints(o) && !tracefs_path())
		warn("no tracepoints are listed, as tracefs cannot be read; mount it on /sys/kernel/tracing and be root");
}

bool list_matches(const struct list_options *o, const char *name)
{
	bool match = false;
	char *pattern;
	int i;

	for (i = 0; i < o->nr_filters && !match; i++) {
		const char *filter = o->filters[i];

		if (list_is_kind_word(filter))
			continue;
		pattern = strpbrk(filter, "*?[") ? xstrdup(filter) : xasprintf("*%s*", filter);
		match = !fnmatch(pattern, name, FNM_CASEFOLD);
		free(pattern);
	}
	return match;
}

bool list_kind_is_wanted(const struct list_options *o, const struct list_kind *kind)
{
	int i;

	for (i = 0; i < o->nr_filters; i++) {
		if (is_word_of(kind, o->filters[i]))
			return true;
	}
	return !o->nr_filters;
}

/* Print an event as a member of an array. @name may be two names with " OR " between them. */
static void print_json(const struct list_options *o, const char *name, const char *label,
		       bool countable)
{
	const char *alias = strstr(name, " OR ");
	int length = alias ? alias - name : (int)strlen(name);

	fputs((*o->nr_printed)++ ? ",\n{\n\t\"EventName\": " : "{\n\t\"EventName\": ", stdout);
	json_print_bytes(stdout, name, length);
	if (alias) {
		fputs(",\n\t\"EventAlias\": ", stdout);
		json_print_string(stdout, alias + strlen(" OR "));
	}
	printf(",\n\t\"EventType\": \"%s\",\n\t\"Supported\": %s\n}", label,
	       countable ? "true" : "false");
}

bool list_line(const struct list_options *o, const char *name, const char *label, bool countable)
{
	if (!countable && !o->all)
		return false;
	if (o->json) {
		print_json(o, name, label, countable);
		return true;
	}
	printf("  %-50s [%s]%s\n", name, label, countable ? "" : " <not supported>");
	return true;
}
