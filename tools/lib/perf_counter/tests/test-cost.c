// SPDX-License-Identifier: GPL-2.0
/* Test how many instructions a region executes. A second set counts them. */
#include "work.h"

#define REGIONS 1000

static __attribute__((noipa)) void no_regions(struct pc_region *region)
{
	for (int i = 0; i < REGIONS; i++)
		__asm__ volatile("" : : "r" (region) : "memory");
}

static __attribute__((noipa)) void regions(struct pc_region *region)
{
	for (int i = 0; i < REGIONS; i++) {
		pc_begin(region);
		pc_end(region);
	}
}

/*
 * Return the number of instructions that @code executes without interruptions.
 */
static __u64 cost(void (*code)(struct pc_region *region), struct pc_region *region)
{
	struct pc_set *set = open_set("instructions");
	__u64 least = ~0ULL;
	struct pc_region outer;

	pc_region_init(&outer, set);
	for (int i = 0; i < 20; i++) {
		pc_begin(&outer);
		code(region);
		pc_end(&outer);
		if (pc_count(&outer, 0) < least)
			least = pc_count(&outer, 0);
	}
	pc_close(set);
	return least;
}

/*
 * Check that the start and the end of a region of @events execute at most @most
 * instructions.
 */
static void costs(const char *events, __u64 most)
{
	struct pc_set *set = open_set(events);
	struct pc_region region;
	__u64 each;

	pc_region_init(&region, set);
	each = (cost(regions, &region) - cost(no_regions, &region) + REGIONS / 2) / REGIONS;
	printf("# %u: %llu instructions\n", pc_nr(set), each);
	CHECK(each <= most, "%llu instructions, and not %llu", each, most);
	/*
	 * The inner set counts a part of the instructions that an empty region
	 * executes.
	 */
	CHECK(pc_count(&region, 0) < each, "%llu in an empty region", pc_count(&region, 0));
	pc_close(set);
}

static void one_counter_costs_at_most_34(void)
{
	costs("instructions", 34);
}

static void each_further_counter_costs_at_most_14(void)
{
	costs("instructions,branches", 34 + 14);
	costs("instructions,branches,instructions", 34 + 2 * 14);
}

/*
 * Test the fourth counter of a set. The PMU must have a fifth counter, for the
 * outer set.
 */
static void the_fourth_counter_costs_at_most_14(void)
{
	struct pc_set *set = open_set("instructions,branches,instructions,branches");
	struct pc_set *more = open_set("instructions");
	struct pc_values values;

	if (pc_read(more, &values) || !values.running)
		skip("the PMU has no fifth counter");
	pc_close(more);
	pc_close(set);
	costs("instructions,branches,instructions,branches", 34 + 3 * 14);
}

static const struct test tests[] = {
	TEST(one_counter_costs_at_most_34),
	TEST(each_further_counter_costs_at_most_14),
	TEST(the_fourth_counter_costs_at_most_14),
};

int main(int argc, char **argv)
{
	(void)argc;
	return run_tests(tests, ARRAY_SIZE(tests), argv + 1);
}
