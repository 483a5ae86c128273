/* SPDX-License-Identifier: GPL-2.0 */
/* perf list: the options, and the choice of listed events. */
#ifndef PERF_CMD_LIST_FILTER_H
#define PERF_CMD_LIST_FILTER_H

#include <linux/perf_event.h>
#include <stdbool.h>

/**
 * struct list_options - options of perf list
 * @filters: words for kinds, and patterns
 * @nr_filters: number of @filters
 * @pmu: PMU; only its vendor events are listed; NULL: no such restriction
 * @all: events that cannot be counted are listed, too
 * @details: details are printed
 * @pmus: PMUs are listed instead of events
 * @json: events are printed as members of a JSON array
 * @output: file to print to; NULL: the standard output
 * @nr_printed: number of events that have been printed
 */
struct list_options {
	char **filters;
	int nr_filters;
	const char *pmu;
	bool all;
	bool details;
	bool pmus;
	bool json;
	const char *output;
	size_t *nr_printed;
};

/* Kinds that are not types of struct perf_event_attr. */
enum { KIND_TOOL = PERF_TYPE_MAX, KIND_PMU, KIND_VENDOR, KIND_METRIC };

/* A word that stands for a kind of events; @type is a PERF_TYPE_ or KIND_. */
struct list_kind {
	const char *word;
	const char *alias;
	const char *label;
	__u32 type;
};

/* All kinds; the last one has no word. */
extern const struct list_kind list_kinds[];

/* Return true if @word stands for a kind of events. */
bool list_is_kind_word(const char *word);

/* Return true if a filter stands for @kind, or if there are no filters. */
bool list_kind_is_wanted(const struct list_options *o, const struct list_kind *kind);

/* Return true if @name matches one of the patterns. */
bool list_matches(const struct list_options *o, const char *name);

/*
 * Return true if this kernel can count an event. An event that the user may not open may exist or
 * not: then true is returned, and list_warn() warns of it.
 */
bool list_can_count(const struct perf_event_attr *attr);

/*
 * Warn that events may be missing in the list, or that events in it cannot be counted, because the
 * user lacks permissions.
 */
void list_warn(const struct list_options *o);

/*
 * Print the line or the JSON object of an event if @countable is true or @o->all is set.
 * Return: true if printed.
 */
bool list_line(const struct list_options *o, const char *name, const char *label, bool countable);

#endif
