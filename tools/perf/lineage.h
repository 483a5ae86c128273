/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who was forked by whom, as far as that has been recorded.
 */
#ifndef PERF_LINEAGE_H
#define PERF_LINEAGE_H

#include <stdbool.h>

#include "hash_table.h"
#include "int_list.h"

/* A table of forks. */
struct lineage {
	struct hash_table forks;
};

/* One FORK record, or what it says. */
struct fork {
	uint32_t pid, ppid;
	uint32_t tid, ptid;
	uint64_t time;
};

void lineage_add(struct lineage *l, const struct fork *fork);

/* Has a thread of this number been forked? */
bool lineage_has(const struct lineage *l, uint32_t tid);

/**
 * struct ancestor - a thread at some time
 * @pid: its process
 * @tid: the thread
 * @until: the one of this number that there is before this time
 */
struct ancestor {
	uint32_t pid, tid;
	uint64_t until;
};

/**
 * lineage_up() - go from a thread to the one that forked it
 * @l: the forks
 * @a: the thread; gets who forked it, and when
 *
 * Return: whether its fork is known; if not, @a stays as it is.
 */
bool lineage_up(const struct lineage *l, struct ancestor *a);

/* Add to @pids the processes that have been forked, each once. */
void lineage_list_processes(const struct lineage *l, struct int_list *pids);

void lineage_free(struct lineage *l);

#endif
