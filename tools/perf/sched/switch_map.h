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
 * @nr_named: number of tasks that got a short name, modulo the number of short names
 */
struct sched_map {
	struct hash_table tasks;
	struct mapped_task **running;
	uint32_t nr_cpus;
	unsigned int nr_named;
};

/* Make columns for at least @nr CPUs. */
void sched_map_add_cpus(struct sched_map *map, uint32_t nr);

/* Add the next event in the order of time. A switch is printed as a line. */
void sched_map_add(struct sched_map *map, FILE *out, const struct sched_event *event);

void sched_map_free(struct sched_map *map);

#endif
