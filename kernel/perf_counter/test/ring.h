/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the KUnit tests of the ring buffer share: a ring made by hand, and the
 * reader's side of what it shares with the ring.
 */
#ifndef _KERNEL_PERF_COUNTER_TEST_RING_H
#define _KERNEL_PERF_COUNTER_TEST_RING_H

#include <kunit/test.h>
#include <linux/atomic.h>

#include "../ring/ring.h"

struct perf_counter_ring *test_ring(struct kunit *test, struct perf_counter_ring_config config);
void test_ring_senses(struct kunit *test, struct perf_counter_ring *ring, u64 head);

static inline u64 ring_shown(struct perf_counter_ring *ring)
{
	/* Before any look at the records; partner: the exchange in ring_show(). */
	return smp_load_acquire(ring->data_head);
}

static inline void ring_give_up(struct perf_counter_ring *ring, u64 pos)
{
	/* After the last look at the records; partner: the control dependency of a reservation. */
	smp_store_release(ring->data_tail, pos);
}

static inline u64 ring_lost(struct perf_counter_ring *ring)
{
	return atomic64_read(&ring->lost);
}

static inline u64 *ring_at(struct perf_counter_ring *ring, u64 pos)
{
	return ring->data + (pos & (ring->size - 1));
}

#endif /* _KERNEL_PERF_COUNTER_TEST_RING_H */
