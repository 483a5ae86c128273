/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which CPU runs whom, from switch to switch.
 */
#ifndef PERF_SCHED_SWITCH_MAP_H
#define PERF_SCHED_SWITCH_MAP_H

#include "sched_event.h"

struct mapped_task;

/**
 * struct sched_map - who runs where at one moment
 * @tasks: that have run, by number; each has a short name
 * @running: on each CPU, or NULL: nobody knows yet
 * @nr_cpus: of @running
 * @nr_named: short names that have been given
 */
struct sched_map {
	struct hash_table tasks;
	struct mapped_task **running;
	uint32_t nr_cpus;
	unsigned int nr_named;
};

/* There are so many CPUs, or more: a column for each. */
void sched_map_add_cpus(struct sched_map *map, uint32_t nr);

/* Take the next event, in the order of time; a switch is a line. */
void sched_map_add(struct sched_map *map, FILE *out, const struct sched_event *event);

void sched_map_free(struct sched_map *map);

#endif
