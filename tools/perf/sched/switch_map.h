/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The task on each CPU, from switch to switch.
 */
#ifndef PERF_SCHED_SWITCH_MAP_H
#define PERF_SCHED_SWITCH_MAP_H

#include "sched_event.h"

struct mapped_task;

/**
 * struct sched_map - the tasks on all CPUs at one time
 * @tasks: tasks that have run, by number
 * @running: current task of each CPU; NULL: unknown
 * @nr_cpus: number of @running
 * @cpus: CPUs whose switches are printed; empty: all
 * @names: names of the tasks whose switches are printed, separated by commas; NULL: all
 * @part_of_name: true if a part of a task's name is enough
 * @compact: true for columns of only the CPUs that have switched, in this order
 * @columns: with @compact, the CPUs of the columns
 * @nr_named: number of tasks that got a short name, modulo the number of short names
 */
struct sched_map {
	struct hash_table tasks;
	struct mapped_task **running;
	uint32_t nr_cpus;
	struct int_list cpus;
	const char *names;
	bool part_of_name;
	bool compact;
	struct int_list columns;
	unsigned int nr_named;
};

/* Make columns for at least @nr CPUs. */
void sched_map_add_cpus(struct sched_map *map, uint32_t nr);

/* Note that a task has got a name, which may be the one that it had: it is printed again. */
void sched_map_rename(struct sched_map *map, int32_t tid);

/* Add the next event in the order of time. A switch is printed as a line. */
void sched_map_add(struct sched_map *map, FILE *out, const struct sched_event *event);

void sched_map_free(struct sched_map *map);

#endif
