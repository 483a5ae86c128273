// SPDX-License-Identifier: GPL-2.0
/*
 * Cost of a record in the ring alone, for the bench: a KUnit case that logs how many
 * cycles pass from the call of the reservation to the return of the commit. These are
 * instructions under an emulator whose cycle counter counts instructions.
 */

#include <kunit/test.h>
#include <linux/timex.h>

#include "ring.h"

#define RECORD_SIZE	40
#define ROUNDS		1000

/* Return the minimum over all records, because an interrupt may hit any of them. */
static u64 cost_of_record(struct kunit *test, bool local)
{
	struct perf_counter_ring *ring = test_ring(test, (struct perf_counter_ring_config) {
		.nr_pages = 1, .local = local });
	u64 least = U64_MAX, pos, before, after;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		before = get_cycles();
		if (perf_counter_ring_reserve(ring, RECORD_SIZE, &pos))
			perf_counter_ring_commit(ring, pos, RECORD_SIZE);
		after = get_cycles();
		least = min(least, after - before);
		ring_give_up(ring, ring_shown(ring));
	}
	KUNIT_EXPECT_EQ(test, ring_shown(ring), ROUNDS * RECORD_SIZE);
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
