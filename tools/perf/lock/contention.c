// SPDX-License-Identifier: GPL-2.0
/* Waits for locks, from their beginnings and ends, summed up by caller, thread or lock. */
#include <stdlib.h>
#include <string.h>

#include "contention.h"
#include "lock_type.h"

/**
 * struct wait - a wait that has not ended
 * @node: node in the table, by thread and @key
 * @key: number that tells apart the locks that a thread waits for at the same time
 * @place: circumstances
 * @waker: text for the last task that woke up the thread, or NULL
 * @start: time in ns
 */
struct wait {
	struct hash_node node;
	uint64_t key;
	struct contention_place place;
	const char *waker;
	uint64_t start;
};

static uint64_t wait_hash(int64_t tid, uint64_t key)
{
	return hash_mix(hash_number(key), tid);
}

static struct wait *find_wait(const struct contention *c, int64_t tid, uint64_t key)
{
	struct hash_node *node = hash_table_first(&c->waits, wait_hash(tid, key));

	for (; node; node = hash_table_next(node)) {
		struct wait *wait = hash_entry(node, struct wait, node);

		if (wait->place.tid == tid && wait->key == key)
			return wait;
	}
	return NULL;
}

void contention_begin(struct contention *c, uint64_t key, const struct contention_place *place,
		      uint64_t time)
{
	struct wait *wait = find_wait(c, place->tid, key);

	if (wait) {
		/* The waiter of a mutex sleeps after spinning, or spins again. */
		if (wait->place.flags & place->flags & LOCK_MUTEX)
			return;
		c->nr_lost++;
	} else {
		wait = xcalloc(1, sizeof(*wait));
		hash_table_add(&c->waits, &wait->node, wait_hash(place->tid, key));
	}
	wait->key = key;
	wait->place = *place;
	wait->waker = NULL;
	wait->start = time;
}

bool contention_is_waiting(const struct contention *c, int64_t tid, uint64_t key)
{
	return find_wait(c, tid, key);
}

void contention_wake(struct contention *c, int64_t tid, uint64_t key, const char *waker)
{
	struct wait *wait = find_wait(c, tid, key);

	if (wait)
		wait->waker = waker;
}

static uint64_t row_hash(const struct contention *c, const struct contention_place *place,
			 const char *waker)
{
	switch (c->view) {
	case CONTENTION_BY_THREAD:
		return hash_number(place->tid);
	case CONTENTION_BY_LOCK:
		return hash_number(place->lock);
	default:
		return hash_mix(hash_number((uintptr_t)place->caller), (uintptr_t)waker);
	}
}

static bool is_in_row(const struct contention *c, const struct contention_row *row,
		      const struct contention_place *place, const char *waker)
{
	switch (c->view) {
	case CONTENTION_BY_THREAD:
		return row->place.tid == place->tid;
	case CONTENTION_BY_LOCK:
		return row->place.lock == place->lock;
	default:
		return row->place.caller == place->caller && row->waker == waker &&
		       !strcmp(lock_type_name(row->place.flags), lock_type_name(place->flags));
	}
}

static struct contention_row *get_row(struct contention *c, const struct wait *wait)
{
	uint64_t hash = row_hash(c, &wait->place, wait->waker);
	struct contention_row *row;
	struct hash_node *node;

	for (node = hash_table_first(&c->rows, hash); node; node = hash_table_next(node)) {
		row = hash_entry(node, struct contention_row, node);
		if (is_in_row(c, row, &wait->place, wait->waker))
			return row;
	}
	row = xcalloc(1, sizeof(*row));
	row->place = wait->place;
	row->waker = c->view == CONTENTION_BY_CALLER ? wait->waker : NULL;
	row->min = UINT64_MAX;
	hash_table_add(&c->rows, &row->node, hash);
	return row;
}

static void remove_wait(struct contention *c, struct wait *wait)
{
	hash_table_remove(&c->waits, &wait->node);
	free(wait);
}

void contention_end(struct contention *c, int64_t tid, uint64_t key, uint64_t time)
{
	struct wait *wait = find_wait(c, tid, key);
	struct contention_row *row;
	uint64_t ns;

	if (!wait)
		return;
	ns = time > wait->start ? time - wait->start : 0;
	row = get_row(c, wait);
	/* The latest name of a thread is shown. */
	row->place.comm = wait->place.comm;
	row->nr++;
	row->total += ns;
	if (row->max < ns)
		row->max = ns;
	if (row->min > ns)
		row->min = ns;
	remove_wait(c, wait);
}

void contention_cancel(struct contention *c, int64_t tid, uint64_t key)
{
	struct wait *wait = find_wait(c, tid, key);

	if (wait)
		remove_wait(c, wait);
}

void contention_free(struct contention *c)
{
	hash_table_free_all(&c->rows, hash_node_free);
	hash_table_free_all(&c->waits, hash_node_free);
}
