/* SPDX-License-Identifier: GPL-2.0 */
/* Waits for locks, from their beginnings and ends, summed up by caller, thread or lock. */
#ifndef PERF_LOCK_CONTENTION_H
#define PERF_LOCK_CONTENTION_H

#include <stdbool.h>
#include <stdint.h>

#include "util/util.h"

/* The property that the waits of a row have in common. */
enum contention_view {
	CONTENTION_BY_CALLER,
	CONTENTION_BY_THREAD,
	CONTENTION_BY_LOCK,
};

/**
 * struct contention_place - the circumstances of a wait
 * @tid: thread that waits; negative for the idle task of a CPU
 * @comm: name of the thread; interned
 * @lock: address of the lock
 * @flags: type of the lock, LOCK_* bits
 * @caller: text for the function that takes the lock; interned
 */
struct contention_place {
	int64_t tid;
	const char *comm;
	uint64_t lock;
	uint32_t flags;
	const char *caller;
};

/**
 * struct contention_row - the waits with equal circumstances
 * @node: node in the table
 * @place: circumstances of the first wait
 * @waker: text for the task that ended the waits, interned, or NULL
 * @nr: number of waits
 * @total: sum of the waits in ns
 * @max: longest wait in ns
 * @min: shortest wait in ns
 */
struct contention_row {
	struct hash_node node;
	struct contention_place place;
	const char *waker;
	uint64_t nr;
	uint64_t total;
	uint64_t max;
	uint64_t min;
};

/**
 * struct contention - waits for locks; all zeros: none
 * @view: property that the waits of a row have in common
 * @rows: rows
 * @waits: waits that have begun and not ended
 * @nr_lost: number of waits that began again without an end, because records were lost
 */
struct contention {
	enum contention_view view;
	struct hash_table rows;
	struct hash_table waits;
	uint64_t nr_lost;
};

/**
 * contention_begin() - Note that a thread begins to wait
 * @c: waits
 * @key: number that tells apart the locks that a thread waits for at the same time
 * @place: circumstances of the wait
 * @time: time in ns
 *
 * The wait for a mutex may begin several times: its waiter spins, sleeps, and spins again. This is
 * one wait.
 */
void contention_begin(struct contention *c, uint64_t key, const struct contention_place *place,
		      uint64_t time);

/* Return true if a thread is in a wait with this key. */
bool contention_is_waiting(const struct contention *c, int64_t tid, uint64_t key);

/* Note what wakes up a thread, if it is waiting; @waker is interned. */
void contention_wake(struct contention *c, int64_t tid, uint64_t key, const char *waker);

/*
 * Note that a thread has waited. An end without a beginning is ignored, such as that of an unwanted
 * wait.
 */
void contention_end(struct contention *c, int64_t tid, uint64_t key, uint64_t time);

/* Forget a beginning after which the thread did not wait. */
void contention_cancel(struct contention *c, int64_t tid, uint64_t key);

void contention_free(struct contention *c);

#endif
