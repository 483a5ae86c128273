// SPDX-License-Identifier: GPL-2.0
/*
 * The task on each CPU: a line for each switch, with a column for each CPU.
 *
 * A column has the short name of the task, and a star if the task changed. A line that has a new
 * short name also has the task's own name. Short names are A0 to Z0, A1 to Z1 and so on; Z9 is
 * followed by A0. The idle task is a dot.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "switch_map.h"

/**
 * struct mapped_task - a task that has run
 * @node: node in the table, by @tid
 * @tid: number of the task
 * @letters: short name
 * @comm: name that was last printed; empty if the task got a name after that
 * @hidden: true if its name is not one of those that are wanted
 */
struct mapped_task {
	struct hash_node node;
	int32_t tid;
	char letters[3];
	char comm[SCHED_COMM_SIZE];
	bool hidden;
};

void sched_map_add_cpus(struct sched_map *map, uint32_t nr)
{
	if (nr > SCHED_CPUS_MAX || nr <= map->nr_cpus)
		return;
	map->running = xreallocarray(map->running, nr, sizeof(*map->running));
	while (map->nr_cpus < nr)
		map->running[map->nr_cpus++] = NULL;
}

static void name_task(struct sched_map *map, struct mapped_task *task)
{
	unsigned int i = map->nr_named;

	if (!task->tid) {
		memcpy(task->letters, ". ", sizeof(task->letters));
		return;
	}
	map->nr_named = (i + 1) % (26 * 10);
	task->letters[0] = 'A' + i % 26;
	task->letters[1] = '0' + i / 26;
}

static struct mapped_task *find_task(const struct sched_map *map, int32_t tid)
{
	struct mapped_task *task;
	struct hash_node *node;

	for (node = hash_table_first(&map->tasks, hash_number((uint32_t)tid)); node;
	     node = hash_table_next(node)) {
		task = hash_entry(node, struct mapped_task, node);
		if (task->tid == tid)
			return task;
	}
	return NULL;
}

static struct mapped_task *task_of(struct sched_map *map, int32_t tid)
{
	struct mapped_task *task = find_task(map, tid);

	if (task)
		return task;
	task = xcalloc(1, sizeof(*task));
	task->tid = tid;
	name_task(map, task);
	hash_table_add(&map->tasks, &task->node, hash_number((uint32_t)tid));
	return task;
}

void sched_map_rename(struct sched_map *map, int32_t tid)
{
	struct mapped_task *task = find_task(map, tid);

	if (task)
		task->comm[0] = '\0';
}

/* Return the name of a task. The idle tasks of all CPUs are one task. */
static const char *comm_of(const struct sched_task_id *id)
{
	return id->tid ? id->comm : "swapper";
}

/* Return true if the user wants to see a task. */
static bool is_wanted(const struct sched_map *map, const char *comm)
{
	char *copy, *rest, *name;
	bool found = false;

	if (!map->names || !map->part_of_name)
		return in_list(map->names, comm);
	copy = xstrdup(map->names);
	rest = copy;
	while (!found && (name = strsep(&rest, ",")))
		found = strstr(comm, name);
	free(copy);
	return found;
}

static const char *letters_of(const struct mapped_task *task)
{
	if (!task)
		return "";
	return task->hidden ? "- " : task->letters;
}

/* Print the columns: each CPU with its task, and a star at the CPU that has switched. */
static void print_columns(const struct sched_map *map, FILE *out, uint32_t switched)
{
	uint32_t i, nr = map->compact ? map->columns.nr : map->nr_cpus;

	fputs("  ", out);
	for (i = 0; i < nr; i++) {
		uint32_t cpu = map->compact ? (uint32_t)map->columns.values[i] : i;

		fprintf(out, "%c%2s ", cpu == switched ? '*' : ' ',
			letters_of(map->running[cpu]));
	}
}

/* Give the CPU a column. Return: true if it is a new one. */
static bool add_column(struct sched_map *map, uint32_t cpu)
{
	if (!map->compact || int_list_has(&map->columns, cpu))
		return false;
	int_list_add(&map->columns, cpu);
	return true;
}

void sched_map_add(struct sched_map *map, FILE *out, const struct sched_event *event)
{
	const char *comm = comm_of(&event->next);
	struct mapped_task *task;
	bool is_new;

	sched_map_add_cpus(map, event->cpu + 1);
	if (event->kind != SCHED_SWITCH || event->cpu >= map->nr_cpus)
		return;
	task = task_of(map, event->next.tid);
	task->hidden = !is_wanted(map, comm);
	map->running[event->cpu] = task;
	if ((map->cpus.nr && !int_list_has(&map->cpus, event->cpu)) ||
	    (task->hidden && !is_wanted(map, comm_of(&event->task))))
		return;
	is_new = add_column(map, event->cpu);
	print_columns(map, out, event->cpu);
	fprintf(out, "  %5" PRIu64 ".%06" PRIu64 " secs ", event->time / 1000000000,
		event->time / 1000 % 1000000);
	if (!task->hidden && strcmp(task->comm, comm)) {
		snprintf(task->comm, sizeof(task->comm), "%s", comm);
		fprintf(out, "%s => ", task->letters);
		fput_name(comm, out);
		fprintf(out, ":%" PRId32, task->tid);
	}
	if (is_new)
		fprintf(out, " (CPU %u)", event->cpu);
	fputc('\n', out);
}

static void free_task(struct hash_node *node)
{
	free(hash_entry(node, struct mapped_task, node));
}

void sched_map_free(struct sched_map *map)
{
	hash_table_free_all(&map->tasks, free_task);
	free(map->running);
	int_list_free(&map->cpus);
	int_list_free(&map->columns);
	*map = (struct sched_map){ 0 };
}
