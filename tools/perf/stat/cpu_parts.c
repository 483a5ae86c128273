// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of the machine that CPUs belong to, as /sys/devices/system/cpu has them.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu_parts.h"

#define CPU_DIRECTORY "/sys/devices/system/cpu/cpu%d"

/* The numbers of a CPU's parts; those that do not matter are 0. */
struct place {
	size_t cpu;
	int node;
	int socket;
	int die;
	int core;
};

/* Return a number of the CPU's topology; 0 if the kernel does not tell it. */
static int number_of(int cpu, const char *name)
{
	char *path = xasprintf(CPU_DIRECTORY "/topology/%s", cpu, name);
	char *text = read_text_file(path, NULL);
	int number = text ? atoi(text) : 0;

	free(text);
	free(path);
	/* The kernel writes -1 for a number that it does not know. */
	return number < 0 ? 0 : number;
}

/* Return the node of a CPU: its directory has a link to the node. */
static int node_of(int cpu)
{
	char *path = xasprintf(CPU_DIRECTORY, cpu);
	DIR *dir = opendir(path);
	struct dirent *entry;
	int node = 0;

	free(path);
	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		if (sscanf(entry->d_name, "node%d", &node) == 1)
			break;
	}
	closedir(dir);
	return node;
}

static struct place place_of(enum cpu_part kind, int cpu, size_t index)
{
	struct place place = { .cpu = index };

	if (kind == CPU_NODE) {
		place.node = node_of(cpu);
		return place;
	}
	place.socket = number_of(cpu, "physical_package_id");
	if (kind == CPU_SOCKET)
		return place;
	place.die = number_of(cpu, "die_id");
	if (kind == CPU_CORE)
		place.core = number_of(cpu, "core_id");
	return place;
}

static int compare(const void *a, const void *b)
{
	const struct place *one = a, *other = b;

	if (one->node != other->node)
		return one->node - other->node;
	if (one->socket != other->socket)
		return one->socket - other->socket;
	return one->die != other->die ? one->die - other->die : one->core - other->core;
}

static char *name_of(enum cpu_part kind, const struct place *place)
{
	switch (kind) {
	case CPU_NODE:
		return xasprintf("N%d", place->node);
	case CPU_SOCKET:
		return xasprintf("S%d", place->socket);
	case CPU_DIE:
		return xasprintf("S%d-D%d", place->socket, place->die);
	case CPU_CORE:
		break;
	}
	return xasprintf("S%d-D%d-C%d", place->socket, place->die, place->core);
}

void cpu_parts_find(struct cpu_parts *parts, enum cpu_part kind, const struct int_list *cpus)
{
	struct place *places = xcalloc(cpus->nr + 1, sizeof(*places));
	size_t i;

	*parts = (struct cpu_parts){
		.names = xcalloc(cpus->nr + 1, sizeof(*parts->names)),
		.of = xcalloc(cpus->nr + 1, sizeof(*parts->of)),
	};
	for (i = 0; i < cpus->nr; i++)
		places[i] = place_of(kind, cpus->values[i], i);
	qsort(places, cpus->nr, sizeof(*places), compare);
	for (i = 0; i < cpus->nr; i++) {
		if (!i || compare(&places[i - 1], &places[i]))
			parts->names[parts->nr++] = name_of(kind, &places[i]);
		parts->of[places[i].cpu] = parts->nr - 1;
	}
	free(places);
}

void cpu_parts_free(struct cpu_parts *parts)
{
	size_t i;

	for (i = 0; i < parts->nr; i++)
		free(parts->names[i]);
	free(parts->names);
	free(parts->of);
}
