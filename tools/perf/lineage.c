// SPDX-License-Identifier: GPL-2.0
/*
 * Who was forked by whom, as far as that has been recorded.
 */
#include <stdlib.h>

#include "lineage.h"
#include "util.h"

struct fork_note {
	struct hash_node node;		/* by tid */
	struct fork fork;
};

static const struct fork *fork_of(const struct hash_node *node)
{
	return &hash_entry(node, struct fork_note, node)->fork;
}

void lineage_add(struct lineage *l, const struct fork *fork)
{
	struct fork_note *note = xmalloc(sizeof(*note));

	note->fork = *fork;
	hash_table_add(&l->forks, &note->node, hash_number(fork->tid));
}

bool lineage_has(const struct lineage *l, uint32_t tid)
{
	return hash_table_first(&l->forks, hash_number(tid));
}

/* Numbers are used again: the last one of that number that was forked before @until. */
static const struct fork *find(const struct lineage *l, uint32_t tid, uint64_t until)
{
	struct hash_node *node = hash_table_first(&l->forks, hash_number(tid));
	const struct fork *fork, *last = NULL;

	for (; node; node = hash_table_next(node)) {
		fork = fork_of(node);
		if (fork->time < until && (!last || last->time < fork->time))
			last = fork;
	}
	return last;
}

bool lineage_up(const struct lineage *l, struct ancestor *a)
{
	const struct fork *fork = find(l, a->tid, a->until);

	if (!fork)
		return false;
	*a = (struct ancestor){ fork->ppid, fork->ptid, fork->time };
	return true;
}

void lineage_list_processes(const struct lineage *l, struct int_list *pids)
{
	struct hash_node **nodes = hash_table_nodes(&l->forks);
	const struct fork *fork;
	size_t i;

	for (i = 0; i < l->forks.nr; i++) {
		fork = fork_of(nodes[i]);
		if (fork->pid == fork->tid && find(l, fork->tid, UINT64_MAX) == fork)
			int_list_add(pids, fork->pid);
	}
	free(nodes);
}

/* The node is the first member. */
static void free_note(struct hash_node *node)
{
	free(node);
}

void lineage_free(struct lineage *l)
{
	hash_table_free_all(&l->forks, free_note);
}
