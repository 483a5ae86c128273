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
#include "cgroup.h"
#include "sampling_terms.h"
#include "tool_events.h"

/**
 * struct event - an event to count or to sample
 * @attr: type, config and exclude bits; the commands fill in the rest
 * @name: name as the user wrote it or set it (name=), including modifiers
 * @tool: the tool measures the event; a dummy counter takes its place in a group
 * @leader: index of the first event of the group in the list; own index without a group
 * @cpus: CPUs of the kind that has the event, or on which an uncore PMU is read; empty if any
 *	CPU counts it
 * @unit: unit of a count times @scale, "Joules"; NULL without one
 * @scale: factor from a count to @unit; 0 means 1
 * @absent_pmu: name of the PMU of the event if this machine or its kernel lacks it, or NULL
 * @has_modifiers: the user chose the modes to count
 * @name_has_modifiers: @name ends in modifiers
 * @by_default: the user did not name the event; it may be left out if the PMU is in use
 * @sampling: the event's own terms about sampling, which take precedence over options
 * @reads_group: samples read the counters of the event's group; members of a leader with this
 *	are not sampled
 * @precise_max: the highest precise_ip that the machine has is wanted
 * @weak: the group is split if it does not fit on the hardware
 * @each: every occurrence is a sample with a call chain, whatever the sampling options say
 * @trigger: every occurrence is a sample that wakes up the tool and is never overwritten
 * @timing: every occurrence is a sample that is never overwritten, without a wakeup
 * @early: the counters are opened and enabled before those of other events
 * @delayed: the counters are not enabled when the command starts
 * @of_machine: the PMU counts the machine rather than tasks, on @cpus
 * @perf_event_only: perf_event_open opens the group, as perf_counter_open lacks an event of it
 * @cgroup: control group whose tasks alone are counted, which belongs to the target; or NULL
 * @filter: filter on the fields of a tracepoint, or NULL
 */
struct event {
	struct perf_event_attr attr;
	char *name;
	enum tool_event tool;
	size_t leader;
	struct int_list cpus;
	char *unit;
	double scale;
	const char *absent_pmu;
	bool has_modifiers;
	bool name_has_modifiers;
	bool by_default;
	struct sampling_terms sampling;
	bool reads_group;
	bool precise_max;
	bool weak;
	bool each;
	bool trigger;
	bool timing;
	bool early;
	bool delayed;
	bool of_machine;
	bool perf_event_only;
	const struct cgroup *cgroup;
	char *filter;
};

/**
 * struct event_list - events in the order in which the user gave them
 * @events: events
 * @nr: number of @events
 * @last: index of the first event of the last name, which may be a pattern
 */
struct event_list {
	struct event *events;
	size_t nr;
	size_t last;
};

/**
 * event_list_parse() - add the events that a user names
 * @list: receives the events
 * @text: "EVENT[:MODIFIERS],{EVENT,EVENT}[:MODIFIERS],PMU/TERMS/[MODIFIERS],..."; a tracepoint
 *	SYSTEM:NAME may be a pattern, and stands for all that match
 * @err: receives the invalid event and suggestions
 *
 * Return: 0, or with @err set EXIT_FAILED for an unknown event or EXIT_USAGE for a syntax
 *   error; @list may have grown then.
 */
int event_list_parse(struct event_list *list, const char *text, struct error *err);

/**
 * event_list_set_filter() - set a filter for the last event of a list
 * @list: events; all events of a pattern count as the last
 * @filter: filter in the syntax of tracefs, events/SYSTEM/NAME/filter
 * @err: receives the reason of a failure
 *
 * Return: 0, or -1 with @err set.
 */
int event_list_set_filter(struct event_list *list, const char *filter, struct error *err);

/* Add copies of the first @nr events, with their groups, at the end of the list. */
void event_list_repeat(struct event_list *list, size_t nr);

void event_list_free(struct event_list *list);

/**
 * event_find() - find an event by its name
 * @name: name of a single event, with modifiers
 * @attr: receives type, config and exclude bits
 * @absent_pmu: receives the PMU of the event if this machine lacks it, or NULL
 * @err: receives the reason of a failure
 *
 * Return: the value of event_list_parse().
 */
int event_find(const char *name, struct perf_event_attr *attr, const char **absent_pmu,
	       struct error *err);

/* Add to @near the names of all events that this kernel or libpfm has. */
void events_consider_all(struct suggestions *near);

/* Return true for a dummy event, which counts nothing and only records side-band records. */
bool event_is_dummy(const struct perf_event_attr *attr);

/* Return the name of the first event that the tool measures itself, or NULL. */
const char *events_of_tool(const struct event_list *list);

/* Return true if an event of the list counts the kernel. */
bool events_count_kernel(const struct event_list *list);

/*
 * Warn if perf_event_open(2) is used on a CPU with several kinds of cores, and an event names
 * no kind: one counter of a task then counts on one kind of core only.
 */
void events_warn_of_kinds(const struct event_list *list);

/* Restrict the event to user mode, and append ":u" to its name. */
void event_exclude_kernel(struct event *event);

/* Return true if the event counts nanoseconds of CPU time. */
bool event_is_clock(const struct event *event);

/* Return true if the event counts nanoseconds, of CPU time or of time off the CPU. */
bool event_is_in_ns(const struct event *event);

#endif
