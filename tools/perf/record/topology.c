// SPDX-License-Identifier: GPL-2.0
/* The CPUs of this machine, by /sys/devices/system/cpu. */
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "topology.h"

/* Return the line in a file of a CPU; the caller frees it. NULL if there is no such file. */
static char *read_line(size_t cpu, const char *name)
{
	char *path = xasprintf("/sys/devices/system/cpu/cpu%zu/topology/%s", cpu, name);
	char *text = read_text_file(path, NULL);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	free(path);
	return text;
}

static bool has_set(char **sets, size_t nr, const char *set)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!strcmp(sets[i], set))
			return true;
	}
	return false;
}

char **topology_sets(enum topology_list list, size_t nr_cpus, size_t *nr)
{
	/* Kernels before Linux 5.3 have only the older names. */
	static const char *const names[][2] = {
		[TOPOLOGY_SOCKETS] = { "package_cpus_list", "core_siblings_list" },
		[TOPOLOGY_DIES] = { "die_cpus_list", "die_cpus_list" },
		[TOPOLOGY_CORES] = { "core_cpus_list", "thread_siblings_list" },
	};
	char **sets = NULL, *set;
	size_t cpu;

	*nr = 0;
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		set = read_line(cpu, names[list][0]) ?: read_line(cpu, names[list][1]);
		if (!set || has_set(sets, *nr, set)) {
			free(set);
			continue;
		}
		sets = xreallocarray(sets, *nr + 1, sizeof(*sets));
		sets[(*nr)++] = set;
	}
	return sets;
}

int topology_id(size_t cpu, const char *name)
{
	char *text = read_line(cpu, name);
	int id = text ? atoi(text) : -1;

	free(text);
	return id;
}
