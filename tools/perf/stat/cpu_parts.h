/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of the machine that CPUs belong to: cores, dies, sockets and nodes of memory.
 */
#ifndef PERF_STAT_CPU_PARTS_H
#define PERF_STAT_CPU_PARTS_H

#include <stddef.h>

#include "util/util.h"

enum cpu_part { CPU_CORE, CPU_DIE, CPU_SOCKET, CPU_NODE };

/**
 * struct cpu_parts - the parts to which some CPUs belong
 * @names: names of the parts, sorted by their numbers: S0-D0-C1, S0-D0, S0 or N0
 * @nr: number of @names
 * @of: index of each CPU's part in @names
 */
struct cpu_parts {
	char **names;
	size_t nr;
	size_t *of;
};

/**
 * cpu_parts_find() - Find the parts of CPUs
 * @parts: set to the parts; cpu_parts_free() frees them
 * @kind: kind of parts
 * @cpus: CPUs
 *
 * A number that the kernel does not tell is 0.
 */
void cpu_parts_find(struct cpu_parts *parts, enum cpu_part kind, const struct int_list *cpus);

void cpu_parts_free(struct cpu_parts *parts);

#endif
