/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf list: the part that lists vendors' events, and what it shares with the rest.
 */
#ifndef PERF_CMD_LIST_H
#define PERF_CMD_LIST_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct list_options - what to list
 * @filters: kinds and patterns
 * @nr_filters: how many
 * @pmu: the PMU whose vendor's events are listed, and nothing else; or NULL
 * @all: what cannot be counted as well
 * @details: more than names
 * @pmus: PMUs, not events
 */
struct list_options {
	char **filters;
	int nr_filters;
	const char *pmu;
	bool all;
	bool details;
	bool pmus;
};

/* Does a name match one of the patterns? */
bool list_matches(const struct list_options *o, const char *name);

/* Print an event's line, if it is wanted. Return: whether it was. */
bool list_line(const struct list_options *o, const char *name, const char *label, bool countable);

/*
 * List vendors' events, of this machine's PMUs or the one that was asked for: all if @all, else
 * those that match a pattern. Return: how many there were.
 */
size_t list_vendor_events(const struct list_options *o, bool all);

/* List the PMUs. Return: the exit status. */
int list_vendor_pmus(void);

/* Is there that PMU? Complain if not. Return: 0 or -1. */
int list_check_pmu(const char *name);

#endif
