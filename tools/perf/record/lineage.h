/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who was forked by whom, as far as that has been recorded.
 *
 * The origin of a task is the first ancestor that there is no record of: who was there
 * before recording began.
 */
#ifndef PERF_RECORD_LINEAGE_H
#define PERF_RECORD_LINEAGE_H

#include <stdbool.h>

#include "util/util.h"

/**
 * struct lineage - forks
 * @forks: by thread
 * @ends: when a thread of this number ended for the last time
 * @by_process: when a process was forked by this one for the first time
 * @by_thread: when a thread or process was forked by this thread for the first time
 */
struct lineage {
	struct hash_table forks;
	struct hash_table ends;
	struct hash_table by_process;
	struct hash_table by_thread;
};

/**
 * struct fork - what a FORK record says, and what follows from others
 * @pid: the child's process
 * @ppid: the parent's
 * @tid: the child
 * @ptid: the parent
 * @time: when
 * @origin_pid: the origin's process; set by lineage_resolve()
 * @origin_tid: the origin; set by lineage_resolve()
 * @renamed: one of the ancestors has got another name; set by lineage_resolve()
 */
struct fork {
	uint32_t pid, ppid;
	uint32_t tid, ptid;
	uint64_t time;
	uint32_t origin_pid, origin_tid;
	bool renamed;
};

/* Add what a record says. */
void lineage_add(struct lineage *l, const struct fork *fork);

/* Add that a thread has ended. */
void lineage_add_end(struct lineage *l, uint32_t tid, uint64_t time);

/* Is whoever was forked there still? */
bool lineage_lives(const struct lineage *l, const struct fork *fork);

/* Has a thread of this number been forked? */
bool lineage_has(const struct lineage *l, uint32_t tid);

/* When did it fork a process, or a thread or process, for the first time? UINT64_MAX: never. */
uint64_t lineage_first_by_process(const struct lineage *l, uint32_t pid);
uint64_t lineage_first_by_thread(const struct lineage *l, uint32_t tid);

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

/**
 * lineage_resolve() - find everybody's origin
 * @l: the forks
 * @renamed: threads that have got another name, by hash_number() of their numbers
 *
 * Return: the forks in the order of time, @l->forks.nr of them; to be freed.
 */
struct fork **lineage_resolve(struct lineage *l, const struct hash_table *renamed);

void lineage_free(struct lineage *l);

#endif
