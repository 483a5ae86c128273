/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events by name: "page-faults:u", "{cs,faults}", "r01c2", "sched:sched_switch".
 */
#ifndef PERF_EVENTS_H
#define PERF_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "util.h"

/**
 * struct event - what to count
 * @attr: type, config and the exclude bits; the commands add the rest
 * @name: as the user wrote it, modifiers included
 * @leader: index of its group's first event in the list; its own when alone
 * @has_modifiers: the user said which modes to count
 */
struct event {
	struct perf_event_attr attr;
	char *name;
	size_t leader;
	bool has_modifiers;
};

/* Events in the order they were given. */
struct event_list {
	struct event *events;
	size_t nr;
};

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
 * event_list_parse() - add the events that a user asks for
 * @list: gets the events
 * @text: "EVENT[:MODIFIERS],{EVENT,EVENT}[:MODIFIERS],..."
 * @err: says which event is wrong and what it may have meant
 *
 * Return: 0, or -1 with @err set; the list may have grown then.
 */
int event_list_parse(struct event_list *list, const char *text, struct error *err);

void event_list_free(struct event_list *list);

/* Count in user mode only, and say so in the name. */
void event_exclude_kernel(struct event *event);

/**
 * cache_event_name() - the names of the cache events, one by one
 * @index: from 0
 * @config: gets the event's number
 *
 * Return: a name to free, or NULL when there is no event of that index.
 */
char *cache_event_name(size_t index, __u64 *config);

/* Where tracefs is, or NULL when it cannot be found. */
const char *tracefs_path(void);

/* The number of tracepoint @system:@name, or -1. */
long tracepoint_id(const char *system, const char *name);

/* Does it count nanoseconds of CPU time? */
bool event_is_clock(const struct event *event);

#endif
