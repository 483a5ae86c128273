/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recorded forks: the parent of each child.
 *
 * The origin of a task is the first ancestor without a recorded fork: it existed before
 * recording began.
 */
#ifndef PERF_RECORD_LINEAGE_H
#define PERF_RECORD_LINEAGE_H

#include <stdbool.h>

#include "util/util.h"

/**
 * struct lineage - recorded forks and exits
 * @forks: forks, by child thread
 * @ends: time of the last exit of each thread id
 * @by_process: time of the first fork of a process by each process
 * @by_thread: time of the first fork by each thread
 */
struct lineage {
	struct hash_table forks;
	struct hash_table ends;
	struct hash_table by_process;
	struct hash_table by_thread;
};

/**
 * struct fork - a FORK record, and facts derived from other records
 * @pid: process of the child
 * @ppid: process of the parent
 * @tid: thread id of the child
 * @ptid: thread id of the parent
 * @time: time of the fork
 * @origin_pid: process of the origin; set by lineage_resolve()
 * @origin_tid: thread id of the origin; set by lineage_resolve()
 * @renamed: an ancestor received another name; set by lineage_resolve()
 */
struct fork {
	uint32_t pid, ppid;
	uint32_t tid, ptid;
	uint64_t time;
	uint32_t origin_pid, origin_tid;
	bool renamed;
};

/* Add a fork. */
void lineage_add(struct lineage *l, const struct fork *fork);

/* Add the exit of a thread. */
void lineage_add_end(struct lineage *l, uint32_t tid, uint64_t time);

/* Return true if the child of @fork has not exited yet. */
bool lineage_lives(const struct lineage *l, const struct fork *fork);

/* Return true if a fork of thread @tid has been recorded. */
bool lineage_has(const struct lineage *l, uint32_t tid);

/* Return the time of the first fork by a process or thread; UINT64_MAX without a fork. */
uint64_t lineage_first_by_process(const struct lineage *l, uint32_t pid);
uint64_t lineage_first_by_thread(const struct lineage *l, uint32_t tid);

/**
 * struct ancestor - a thread at some time
 * @pid: process id
 * @tid: thread id
 * @until: time before which the ids denote the thread, as ids are reused
 */
struct ancestor {
	uint32_t pid, tid;
	uint64_t until;
};

/**
 * lineage_up() - go from a thread to its parent
 * @l: forks
 * @a: thread; becomes the parent at the time of the fork
 *
 * Return: true if the fork is known; otherwise @a is unchanged.
 */
bool lineage_up(const struct lineage *l, struct ancestor *a);

/**
 * lineage_resolve() - find the origin of each child
 * @l: forks
 * @renamed: threads that received another name, by hash_number() of the thread id
 *
 * Return: the forks in order of time, @l->forks.nr of them; the caller frees the array.
 */
struct fork **lineage_resolve(struct lineage *l, const struct hash_table *renamed);

void lineage_free(struct lineage *l);

#endif
