// SPDX-License-Identifier: GPL-2.0
/* Recorded forks: the parent of each child. */
#include <stdlib.h>

#include "util/util.h"
#include "lineage.h"

struct fork_note {
	struct hash_node node;		/* by tid */
	struct fork fork;
};

struct time_note {
	struct hash_node node;		/* by pid or tid */
	uint64_t time;
};

static struct fork *fork_of(struct hash_node *node)
{
	return &hash_entry(node, struct fork_note, node)->fork;
}

static struct time_note *time_of(const struct hash_table *times, uint32_t number)
{
	struct hash_node *node = hash_table_first(times, hash_number(number));

	return node ? hash_entry(node, struct time_note, node) : NULL;
}

static void add_time(struct hash_table *times, uint32_t number, uint64_t time)
{
	struct time_note *note = xmalloc(sizeof(*note));

	note->time = time;
	hash_table_add(times, &note->node, hash_number(number));
}

/* Note the earliest time. Records of several rings are not read in order of time. */
static void note_first(struct hash_table *times, uint32_t number, uint64_t time)
{
	struct time_note *note = time_of(times, number);

	if (!note)
		add_time(times, number, time);
	else if (time < note->time)
		note->time = time;
}

void lineage_add(struct lineage *l, const struct fork *fork)
{
	struct fork_note *note = xmalloc(sizeof(*note));

	note->fork = *fork;
	hash_table_add(&l->forks, &note->node, hash_number(fork->tid));
	note_first(&l->by_thread, fork->ptid, fork->time);
	if (fork->pid != fork->ppid)
		note_first(&l->by_process, fork->ppid, fork->time);
}

void lineage_add_end(struct lineage *l, uint32_t tid, uint64_t time)
{
	struct time_note *note = time_of(&l->ends, tid);

	if (!note)
		add_time(&l->ends, tid, time);
	else if (note->time < time)
		note->time = time;
}

bool lineage_lives(const struct lineage *l, const struct fork *fork)
{
	const struct time_note *end = time_of(&l->ends, fork->tid);

	return !end || end->time < fork->time;
}

bool lineage_has(const struct lineage *l, uint32_t tid)
{
	return hash_table_first(&l->forks, hash_number(tid));
}

uint64_t lineage_first_by_process(const struct lineage *l, uint32_t pid)
{
	const struct time_note *note = time_of(&l->by_process, pid);

	return note ? note->time : UINT64_MAX;
}

uint64_t lineage_first_by_thread(const struct lineage *l, uint32_t tid)
{
	const struct time_note *note = time_of(&l->by_thread, tid);

	return note ? note->time : UINT64_MAX;
}

/* Find the last fork of @tid before @until; thread ids are reused. */
static struct fork *find_fork(const struct lineage *l, uint32_t tid, uint64_t until)
{
	struct hash_node *node = hash_table_first(&l->forks, hash_number(tid));
	struct fork *fork, *last = NULL;

	for (; node; node = hash_table_next(node)) {
		fork = fork_of(node);
		if (fork->time < until && (!last || last->time < fork->time))
			last = fork;
	}
	return last;
}

bool lineage_up(const struct lineage *l, struct ancestor *a)
{
	const struct fork *fork = find_fork(l, a->tid, a->until);

	if (!fork)
		return false;
	*a = (struct ancestor){ fork->ppid, fork->ptid, fork->time };
	return true;
}

static int compare_times(const void *a, const void *b)
{
	const struct fork *x = *(const struct fork *const *)a, *y = *(const struct fork *const *)b;

	return x->time < y->time ? -1 : x->time > y->time;
}

struct fork **lineage_resolve(struct lineage *l, const struct hash_table *renamed)
{
	struct hash_node **nodes = hash_table_nodes(&l->forks);
	struct fork **forks = xcalloc(l->forks.nr, sizeof(*forks));
	const struct fork *parent;
	struct fork *fork;
	size_t i;

	for (i = 0; i < l->forks.nr; i++)
		forks[i] = fork_of(nodes[i]);
	free(nodes);
	qsort(forks, l->forks.nr, sizeof(*forks), compare_times);
	/* Parents come before their children. */
	for (i = 0; i < l->forks.nr; i++) {
		fork = forks[i];
		parent = find_fork(l, fork->ptid, fork->time);
		fork->origin_pid = parent ? parent->origin_pid : fork->ppid;
		fork->origin_tid = parent ? parent->origin_tid : fork->ptid;
		fork->renamed = (parent && parent->renamed) ||
				hash_table_first(renamed, hash_number(fork->ptid));
	}
	return forks;
}

void lineage_free(struct lineage *l)
{
	hash_table_free_all(&l->forks, hash_node_free);
	hash_table_free_all(&l->ends, hash_node_free);
	hash_table_free_all(&l->by_process, hash_node_free);
	hash_table_free_all(&l->by_thread, hash_node_free);
}
