/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is measured: a command, existing tasks or CPUs.
 */
#ifndef PERF_MEASURE_TARGET_H
#define PERF_MEASURE_TARGET_H

#include <stdbool.h>

#include "util/util.h"

/* What the options said, as text; NULL: not given. */
struct target_options {
	const char *pids;	/* -p */
	const char *tids;	/* -t */
	const char *cpus;	/* -C */
	bool all_cpus;		/* -a */
	bool no_inherit;	/* -i */
	char **command;		/* with its arguments, up to a NULL; or NULL */
};

enum target_kind {
	TARGET_COMMAND,		/* what the command does; its task is not there yet */
	TARGET_TASKS,		/* of -p and -t; the command, if any, says how long */
	TARGET_CPUS,		/* of -a and -C; the command, if any, says how long */
};

/**
 * struct target - what is measured
 * @kind: which of the three
 * @pids: processes of -p, all threads of which are meant
 * @tids: threads of -t
 * @cpus: CPUs of -a and -C, all of them online; else empty
 * @whole_machine: @cpus are all there are (-a)
 * @online: every CPU that is online
 * @name: as the headline of a table has it: "process id '1,2'"
 */
struct target {
	enum target_kind kind;
	struct int_list pids;
	struct int_list tids;
	struct int_list cpus;
	bool whole_machine;
	struct int_list online;
	char *name;
};

/**
 * target_resolve() - find out what the options mean on this machine
 * @t: gets the answer
 * @o: the options
 * @err: says which part does not make sense, or is not there
 *
 * Return: 0, EXIT_USAGE for options that contradict one another or cannot be
 * understood, EXIT_FAILED for a task or a CPU that does not exist.
 */
int target_resolve(struct target *t, const struct target_options *o, struct error *err);

/* The threads that a TARGET_TASKS has at this moment. */
void target_list_tasks(const struct target *t, struct int_list *tids);

/**
 * target_has_only() - whether nobody has come since the tasks were listed
 * @t: a TARGET_TASKS
 * @tids: what target_list_tasks() said before
 *
 * Return: true when at some moment of this call there were no threads but @tids; false when
 * there are others, or some have ended just now, so that it cannot be known.
 */
bool target_has_only(const struct target *t, const struct int_list *tids);

void target_free(struct target *t);

#endif
