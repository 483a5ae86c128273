/* SPDX-License-Identifier: GPL-2.0 */
/* The target of a measurement: a command, existing tasks or CPUs. */
#ifndef PERF_MEASURE_TARGET_H
#define PERF_MEASURE_TARGET_H

#include <stdbool.h>

#include "util/util.h"
#include "cgroup.h"
#include "events.h"

/* The options as text; NULL if not given. */
struct target_options {
	const char *pids;	/* -p */
	const char *tids;	/* -t */
	const char *cpus;	/* -C */
	const char *user;	/* -u: name or number */
	struct cgroup_option *cgroups;	/* --cgroup */
	size_t nr_cgroups;
	const char *each_cgroup;	/* --for-each-cgroup */
	const struct event_list *events;	/* events that were named so far; or NULL */
	bool all_cpus;		/* -a */
	bool no_inherit;	/* -i */
	char **command;		/* with its arguments and a final NULL; or NULL */
};

enum target_kind {
	TARGET_COMMAND,		/* the command; it has not been executed yet */
	TARGET_TASKS,		/* tasks of -p and -t; a command only limits the time */
	TARGET_CPUS,		/* CPUs of -a and -C; a command only limits the time */
};

/**
 * struct target - target of a measurement
 * @kind: kind of target
 * @pids: processes of -p, with all their threads
 * @tids: threads of -t
 * @cpus: CPUs of -a and -C, all of them online; else empty
 * @whole_machine: @cpus are all CPUs (-a)
 * @online: CPUs that are online
 * @cgroups: control groups whose tasks alone are counted on @cpus; else empty
 * @name: text for the headline of a table: "process id '1,2'"
 */
struct target {
	enum target_kind kind;
	struct int_list pids;
	struct int_list tids;
	struct int_list cpus;
	bool whole_machine;
	struct int_list online;
	struct cgroup_list cgroups;
	char *name;
};

/**
 * target_resolve() - find the target that the options name
 * @t: receives the target
 * @o: options
 * @err: receives the reason of a failure
 *
 * Return: 0, EXIT_USAGE for options that contradict one another or cannot be parsed,
 *   EXIT_FAILED for a task or a CPU that does not exist.
 */
int target_resolve(struct target *t, const struct target_options *o, struct error *err);

/* Return true if the options choose CPUs, or control groups, whose tasks are measured on CPUs. */
bool target_options_choose_cpus(const struct target_options *o);

/**
 * target_assign_cgroups() - assign the control groups of --cgroup to events
 * @t: target
 * @events: all events; the first events are those that the user named
 * @err: receives the reason of a failure
 *
 * The first group is for the first event, and so on. A group alone is for all events that were
 * named before it, or for all events if none was.
 *
 * Return: 0, or EXIT_USAGE with @err set.
 */
int target_assign_cgroups(const struct target *t, struct event_list *events, struct error *err);

/*
 * Count every event once for each control group of --for-each-cgroup: all events for the first
 * group, then all for the next one.
 */
void target_repeat_events(const struct target *t, struct event_list *events);

/* List the threads that a TARGET_TASKS has at this moment. */
void target_list_tasks(const struct target *t, struct int_list *tids);

/**
 * target_has_only() - test that no thread has appeared since the threads were listed
 * @t: target of kind TARGET_TASKS
 * @tids: list of target_list_tasks()
 *
 * Return: true if at some moment of this call no threads but @tids existed; false if others
 *   exist, or if threads have just exited, so that this cannot be known.
 */
bool target_has_only(const struct target *t, const struct int_list *tids);

void target_free(struct target *t);

#endif
