/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events by name: "page-faults:u", "{cs,faults}", "r01c2", "cpu/event=0xc0/",
 * "sched:sched_switch", "mem_load_retired.l3_miss".
 */
#ifndef PERF_MEASURE_EVENTS_H
#define PERF_MEASURE_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/util.h"

/**
 * struct event - what to count
 * @attr: type, config and the exclude bits; the commands add the rest
 * @name: as the user wrote it or wants it (name=), modifiers included
 * @leader: index of its group's first event in the list; its own when alone
 * @cpus: the CPUs of the kind that it is of, or on which its PMU is read; none where it
 *	counts on any
 * @unit: the unit of a count times @scale, "Joules"; NULL without
 * @scale: what one count stands for; 0 for 1
 * @absent_pmu: the PMU that it is of, which this machine or its kernel has not; or NULL
 * @has_modifiers: the user said which modes to count
 * @name_has_modifiers: @name ends in modifiers
 * @by_default: nobody asked for it, so it may be left out when the PMU is in use
 * @weak: its group is given up where it does not fit on the hardware
 * @each: whenever it happens there is a sample, with a call chain, however others are sampled
 * @trigger: whenever it happens there is a sample, and the tool is woken up; never overwritten
 * @beside: likewise, but nobody is woken up
 * @early: its counters are there, and on, before any others are opened
 * @of_machine: its PMU counts what no task does, on @cpus
 * @elsewhere: perf_event_open alone has it, and opens its group
 * @filter: of a tracepoint, what its fields are to be for it to count; or NULL
 */
struct event {
	struct perf_event_attr attr;
	char *name;
	size_t leader;
	struct int_list cpus;
	char *unit;
	double scale;
	const char *absent_pmu;
	bool has_modifiers;
	bool name_has_modifiers;
	bool by_default;
	bool weak;
	bool each;
	bool trigger;
	bool beside;
	bool early;
	bool of_machine;
	bool elsewhere;
	char *filter;
};

/**
 * struct event_list - events in the order they were given
 * @events: they
 * @nr: how many
 * @last: the first of those that the last name of a user's stands for
 */
struct event_list {
	struct event *events;
	size_t nr;
	size_t last;
};

/**
 * event_list_parse() - add the events that a user asks for
 * @list: gets the events
 * @text: "EVENT[:MODIFIERS],{EVENT,EVENT}[:MODIFIERS],PMU/TERMS/[MODIFIERS],..."; a tracepoint
 *	SYSTEM:NAME may be a pattern, and stands for all that match
 * @err: says which event is wrong and what it may have meant
 *
 * Return: 0, or with @err set EXIT_FAILED for an event that there is not, EXIT_USAGE for
 * what is written wrong; the list may have grown then.
 */
int event_list_parse(struct event_list *list, const char *text, struct error *err);

/**
 * event_list_set_filter() - have the last event count only where its fields are so
 * @list: the events; all of a pattern are the last
 * @filter: as tracefs' events/SYSTEM/NAME/filter takes it
 * @err: says what is wrong
 *
 * Return: 0, or -1 with @err set.
 */
int event_list_set_filter(struct event_list *list, const char *filter, struct error *err);

void event_list_free(struct event_list *list);

/**
 * event_find() - what an event's name stands for
 * @name: a name of an event alone, with modifiers
 * @attr: gets type, config and what else there is
 * @absent_pmu: gets the PMU that it is of and this machine has not, or NULL
 * @err: says what is wrong
 *
 * Return: as event_list_parse().
 */
int event_find(const char *name, struct perf_event_attr *attr, const char **absent_pmu,
	       struct error *err);

/* Add to @near which event may be meant: of all that this machine's kernel or libpfm knows. */
void events_consider_all(struct suggestions *near);

/* Is it there for the records of tasks alone? It counts nothing. */
bool event_is_dummy(const struct perf_event_attr *attr);

/* Does any of them count the kernel? */
bool events_count_kernel(const struct event_list *list);

/*
 * Say so where CPUs are of several kinds, and an event that names none counts on one of them:
 * with perf_event_open(2), where a task is counted on all CPUs by one counter.
 */
void events_warn_of_kinds(const struct event_list *list);

/* Count in user mode only, and say so in the name. */
void event_exclude_kernel(struct event *event);

/* Does it count nanoseconds of CPU time? */
bool event_is_clock(const struct event *event);

/* Does it count nanoseconds, of CPU time or of time off the CPU? */
bool event_is_in_ns(const struct event *event);

#endif
