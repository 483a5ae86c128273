/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the KUnit tests of the ring share: a ring that a test makes, and the accesses
 * of a reader to the words that it shares with the ring.
 */
#ifndef _KERNEL_PERF_COUNTER_TEST_RING_H
#define _KERNEL_PERF_COUNTER_TEST_RING_H

#include <kunit/test.h>
#include <linux/atomic.h>

#include "../ring/ring.h"

struct perf_counter_ring *test_ring(struct kunit *test, struct perf_counter_ring_config config);
void test_ring_senses(struct kunit *test, struct perf_counter_ring *ring, u64 head);

/* Reserve room in @ring, and return a pointer that may be read through. */
static inline void *ring_room(struct perf_counter_ring *ring, size_t len, u64 *pos)
{
	return (void __force *)perf_counter_ring_reserve(ring, len, pos);
}

/* Address of a word that the ring shares with its reader. */
static inline u64 *ring_word_at(u64 __ring *shared)
{
	return (u64 __force *)shared;
}

static inline u64 ring_shown(struct perf_counter_ring *ring)
{
	/*
	 * Order the read of data_head before the reads of records. Pairs with the exchange in
	 * ring_show().
	 */
	return smp_load_acquire(ring_word_at(ring->data_head));
}

static inline void ring_give_up(struct perf_counter_ring *ring, u64 pos)
{
	/*
	 * Order the reads of records before the new tail. Pairs with the control dependency of a
	 * reservation.
	 */
	smp_store_release(ring_word_at(ring->data_tail), pos);
}

static inline u64 ring_lost(struct perf_counter_ring *ring)
{
	return atomic64_read(&ring->lost);
}

static inline u64 *ring_at(struct perf_counter_ring *ring, u64 pos)
{
	return (void __force *)ring->data + (pos & (ring->size - 1));
}

#endif /* _KERNEL_PERF_COUNTER_TEST_RING_H */
