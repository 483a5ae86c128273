/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events that have names of their own: software, hardware and cache events.
 */
#ifndef PERF_EVENT_NAMES_H
#define PERF_EVENT_NAMES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "util.h"

/* An event that has a name of its own. */
struct event_name {
	const char *name;
	const char *alias;		/* or NULL */
	__u32 type;
	__u64 config;
};

/* The software and hardware events; the last has no name. */
extern const struct event_name event_names[];

/**
 * event_find_named() - find a software, hardware or cache event
 * @name: a name; case does not count
 * @attr: gets type and config
 *
 * Return: whether there is one.
 */
bool event_find_named(const char *name, struct perf_event_attr *attr);

/**
 * cache_event_name() - the names of the cache events, one by one
 * @index: from 0
 * @config: gets the event's number
 *
 * Return: a name to free, or NULL when there is no event of that index.
 */
char *cache_event_name(size_t index, __u64 *config);

/* Add to @err what somebody who typed @typed may have meant, and where to look. */
void event_suggest_names(struct error *err, const char *typed);

#endif
