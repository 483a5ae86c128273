/* SPDX-License-Identifier: GPL-2.0 */
/* The control groups of --cgroup and --for-each-cgroup. */
#ifndef PERF_MEASURE_CGROUP_H
#define PERF_MEASURE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "util/util.h"

/**
 * struct cgroup - a control group of a measurement
 * @name: path below the hierarchy that perf_events uses, to be printed; empty for all tasks
 * @fd: descriptor of its directory; -1 for all tasks
 * @nr_events: number of events that were named before the group
 */
struct cgroup {
	char *name;
	int fd;
	size_t nr_events;
};

/**
 * struct cgroup_list - control groups in the order of the command line
 * @groups: groups
 * @nr: number of @groups
 * @for_all: the first option has one group, which is for all events that were named before
 */
struct cgroup_list {
	struct cgroup *groups;
	size_t nr;
	bool for_all;
};

/* One option --cgroup: a list as the user wrote it, and the number of events before it. */
struct cgroup_option {
	const char *text;
	size_t nr_events;
};

/**
 * cgroup_list_open() - open the groups of an option --cgroup
 * @list: receives the groups, after those of earlier options
 * @option: names with commas in between; an empty name stands for all tasks
 * @err: receives the reason of a failure
 *
 * Return: 0, or -1 with @err set; @list may have grown then.
 */
int cgroup_list_open(struct cgroup_list *list, const struct cgroup_option *option,
		     struct error *err);

/**
 * cgroup_list_match() - open the groups of --for-each-cgroup
 * @list: receives the groups
 * @text: names with commas in between; or, if one of them has a special character, basic regular
 *	expressions, which stand for all groups whose names they match
 * @err: receives the reason of a failure
 *
 * Return: the value of cgroup_list_open().
 */
int cgroup_list_match(struct cgroup_list *list, const char *text, struct error *err);

void cgroup_list_free(struct cgroup_list *list);

#endif
