// SPDX-License-Identifier: GPL-2.0
/*
 * What a record costs in the ring alone, for the bench: a KUnit case that
 * says in the kernel's log how far the cycle counter went from the call of the
 * reservation to the return of the commit. Under an emulator whose cycle
 * counter counts instructions these are instructions.
 */

#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/timex.h>

#include "perf_counter_ring.h"

#define RECORD_SIZE	40
#define ROUNDS		1000

static void page_free_action(void *page)
{
	__free_page(page);
}

static void ring_destroy_action(void *ring)
{
	perf_counter_ring_destroy(ring);
}

/* The least that a record took; an interrupt may be in any of them. */
static u64 cost_of_record(struct kunit *test, bool local)
{
	struct perf_counter_ring *ring = kunit_kzalloc(test, sizeof(*ring), GFP_KERNEL);
	u64 *shared = kunit_kcalloc(test, 3, sizeof(*shared), GFP_KERNEL);
	struct page *page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	struct perf_counter_ring_config config = { .pages = &page, .nr_pages = 1, .local = local };
	u64 least = U64_MAX, pos, before, after;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, page_free_action, page), 0);
	KUNIT_ASSERT_NOT_NULL(test, ring);
	KUNIT_ASSERT_NOT_NULL(test, shared);
	config.data_head = &shared[0];
	config.data_tail = &shared[1];
	config.data_reserved = &shared[2];
	KUNIT_ASSERT_EQ(test, perf_counter_ring_init(ring, &config), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, ring_destroy_action, ring), 0);

	for (i = 0; i < ROUNDS; i++) {
		before = get_cycles();
		if (perf_counter_ring_reserve(ring, RECORD_SIZE, &pos))
			perf_counter_ring_commit(ring, pos, RECORD_SIZE);
		after = get_cycles();
		least = min(least, after - before);
		WRITE_ONCE(*ring->data_tail, *ring->data_head);
	}
	KUNIT_EXPECT_EQ(test, *ring->data_head, ROUNDS * RECORD_SIZE);
	return least;
}

static u64 cost_of_nothing(void)
{
	u64 least = U64_MAX, before;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		before = get_cycles();
		least = min(least, get_cycles() - before);
	}
	return least;
}

static void record_of_40_bytes(struct kunit *test)
{
	u64 nothing = cost_of_nothing();

	kunit_info(test, "cost of a shared ring: %llu", cost_of_record(test, false) - nothing);
	kunit_info(test, "cost of a CPU's ring: %llu", cost_of_record(test, true) - nothing);
}

static struct kunit_case cost_cases[] = {
	KUNIT_CASE(record_of_40_bytes),
	{}
};

static struct kunit_suite cost_suite = {
	.name = "perf_counter_cost",
	.test_cases = cost_cases,
};

kunit_test_suite(cost_suite);
