// SPDX-License-Identifier: GPL-2.0
/* Arithmetic on counts: scaling, sums, and registers that wrap. */
#include <stdint.h>

#include <perf_counter.h>

#include "tap.h"

static struct pc_values values(__u64 count, __u64 enabled, __u64 running)
{
	struct pc_values v;

	memset(&v, 0, sizeof(v));
	v.nr = 1;
	v.count[0] = count;
	v.enabled = enabled;
	v.running = running;
	return v;
}

static __u64 scaled(__u64 count, __u64 enabled, __u64 running)
{
	struct pc_values v = values(count, enabled, running);

	return pc_scaled(&v, 0);
}

static void counts_are_scaled(void)
{
	struct pc_values v = values(1, 1, 1);

	CHECK_EQ(100, scaled(50, 1000, 500));
	CHECK_EQ(150, scaled(50, 1500, 500));
	/* Results are rounded to the nearest number. */
	CHECK_EQ(3, scaled(2, 4, 3));
	CHECK_EQ(1, scaled(1, 4, 3));
	/* Without scaling, results are exact, however large. */
	CHECK_EQ(UINT64_MAX, scaled(UINT64_MAX, 7, 7));
	CHECK_EQ(0, scaled(0, 7, 7));
	CHECK_EQ(5, scaled(5, 6, 7));
	/* A set that never ran has no result. */
	CHECK_EQ(0, scaled(0, 1000, 0));
	CHECK_EQ(0, scaled(0, 0, 0));
	/* Products may exceed 64 bits. */
	CHECK_EQ(1ULL << 62, scaled(1ULL << 61, 1ULL << 50, 1ULL << 49));
	CHECK_EQ(0, pc_scaled(&v, 1));
	CHECK_EQ(0, pc_scaled(&v, PC_MAX));
}

static void counts_are_added(void)
{
	struct pc_values a = values(10, 100, 100), b = values(10, 100, 50), sum = { 0 };

	a.nr = 2;
	b.nr = 2;
	a.count[1] = 7;
	b.count[1] = 1ULL << 60;
	pc_add(&sum, &a);
	pc_add(&sum, &b);
	CHECK_EQ(2, sum.nr);
	CHECK_EQ(20, sum.count[0]);
	CHECK_EQ((1ULL << 60) + 7, sum.count[1]);
	CHECK_EQ(200, sum.enabled);
	CHECK_EQ(150, sum.running);
	CHECK_EQ(27, pc_scaled(&sum, 0));
}

static struct pc_pair pair(__u64 value)
{
	struct pc_pair p;

	p.low = value;
	p.high = value >> 32;
	return p;
}

static __u64 difference(__u64 begin, __u64 end, unsigned int width)
{
	struct pc_region region;

	memset(&region, 0, sizeof(region));
	region.mask = ~0ULL >> (64 - width);
	region.slot[3].at[0] = pair(begin);
	region.slot[3].at[1] = pair(end);
	return pc_count(&region, 3);
}

static void wrapped_registers_give_the_difference(void)
{
	CHECK_EQ(15, difference((1ULL << 48) - 5, 10, 48));
	CHECK_EQ(1, difference((1ULL << 48) - 1, 0, 48));
	CHECK_EQ(15, difference((1ULL << 40) - 5, 10, 40));
	CHECK_EQ(1ULL << 32, difference(0xffffffff, 0x1ffffffff, 48));
	CHECK_EQ((1ULL << 48) - 1, difference(1, 0, 48));
	CHECK_EQ(1ULL << 63, difference(1, (1ULL << 63) + 1, 64));
}

static const struct test tests[] = {
	TEST(counts_are_scaled),
	TEST(counts_are_added),
	TEST(wrapped_registers_give_the_difference),
};

int main(int argc, char **argv)
{
	(void)argc;
	return run_tests(tests, ARRAY_SIZE(tests), argv + 1);
}
