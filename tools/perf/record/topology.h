/* SPDX-License-Identifier: GPL-2.0 */
/* The CPUs of this machine: which are in one socket, die or core. */
#ifndef PERF_RECORD_TOPOLOGY_H
#define PERF_RECORD_TOPOLOGY_H

#include <stddef.h>

/**
 * enum topology_list - sets of CPUs in sysfs
 * @TOPOLOGY_SOCKETS: CPUs of a socket
 * @TOPOLOGY_DIES: CPUs of a die
 * @TOPOLOGY_CORES: hardware threads of a core
 */
enum topology_list { TOPOLOGY_SOCKETS, TOPOLOGY_DIES, TOPOLOGY_CORES };

/**
 * topology_sets() - list the different sets of CPUs
 * @list: kind of set
 * @nr_cpus: number of CPUs that the kernel may have
 * @nr: set to the number of sets
 *
 * Return: the sets, such as "0-3,8"; the caller frees them and the array. NULL if sysfs does not
 *   have them.
 */
char **topology_sets(enum topology_list list, size_t nr_cpus, size_t *nr);

/* Return a number of a CPU in sysfs, such as "core_id", or -1 if sysfs does not have it. */
int topology_id(size_t cpu, const char *name);

#endif
