// SPDX-License-Identifier: GPL-2.0
/*
 * More counters than the PMU has: sets take turns, and scaled counts are right.
 *
 * The machine has one CPU and a clock of one ns per instruction, so that the
 * length of turns does not depend on the host.
 */
#include "work.h"

#define SETS 8
#define REGIONS 500
#define ROUNDS 200000

static struct pc_set *sets[SETS];

/* Open SETS sets of three counters, more than there are registers. */
static void open_sets(void)
{
	for (int i = 0; i < SETS; i++)
		sets[i] = open_set("branches,instructions,branches");
}

static void check_scaled(const struct pc_values *sum, unsigned int i, __u64 expected)
{
	__u64 got = pc_scaled(sum, i);

	CHECK(got > expected / 100 * 99 && got < expected / 100 * 101,
	      "%llu, scaled to %llu, instead of %llu", sum->count[i], got, expected);
}

/*
 * Short regions: some begin and end on the PMU, some begin and end off it, and
 * some begin on it and end off it.
 */
static void many_regions_are_right_within_1_percent(void)
{
	struct pc_values values, sum[SETS];
	struct pc_region region[SETS];

	open_sets();
	memset(sum, 0, sizeof(sum));
	for (int i = 0; i < SETS; i++)
		pc_region_init(&region[i], sets[i]);
	for (int k = 0; k < REGIONS; k++) {
		for (int i = 0; i < SETS; i++)
			pc_begin(&region[i]);
		work(ROUNDS);
		for (int i = 0; i < SETS; i++)
			pc_end(&region[i]);
		for (int i = 0; i < SETS; i++) {
			NEED(!pc_result(&region[i], &values), "%s", pc_error());
			CHECK(values.running <= values.enabled, "%llu of %llu ns", values.running,
			      values.enabled);
			pc_add(&sum[i], &values);
		}
	}
	for (int i = 0; i < SETS; i++) {
		/* The set had turns, and other sets had theirs. */
		CHECK(sum[i].running > sum[i].enabled / 10 &&
		      sum[i].running < sum[i].enabled / 10 * 9, "%llu of %llu ns",
		      sum[i].running, sum[i].enabled);
		/*
		 * A region also counts the start and the end of other regions,
		 * which adds less than a percent.
		 */
		check_scaled(&sum[i], 0, (__u64)REGIONS * ROUNDS);
		check_scaled(&sum[i], 1, (__u64)REGIONS * ROUNDS * WORK_INSTRUCTIONS);
	}
}

/* The region lasts for many turns. */
static void a_long_region_is_right_within_1_percent(void)
{
	struct pc_region region[SETS];
	const __u64 rounds = (__u64)REGIONS * ROUNDS;
	struct pc_values values;

	open_sets();
	for (int i = 0; i < SETS; i++) {
		pc_region_init(&region[i], sets[i]);
		pc_begin(&region[i]);
	}
	work(rounds);
	for (int i = 0; i < SETS; i++)
		pc_end(&region[i]);
	for (int i = 0; i < SETS; i++) {
		NEED(!pc_result(&region[i], &values), "%s", pc_error());
		CHECK(values.running < values.enabled / 10 * 9, "it ran all the time");
		check_scaled(&values, 0, rounds);
		check_scaled(&values, 1, rounds * WORK_INSTRUCTIONS);
		CHECK(values.count[1] < rounds * WORK_INSTRUCTIONS, "the count is not less than the total");
	}
}

/* The times of an undisturbed region agree with a clock around it. */
static void times_are_those_of_the_clock(void)
{
	struct pc_set *set = open_set("instructions");
	struct timespec before, after;
	struct pc_values values;
	struct pc_region region;
	__u64 ns;

	pc_region_init(&region, set);
	for (int i = 0; i < 10; i++) {
		clock_gettime(CLOCK_MONOTONIC, &before);
		pc_begin(&region);
		work(10000000);
		pc_end(&region);
		clock_gettime(CLOCK_MONOTONIC, &after);
		NEED(!pc_result(&region, &values), "%s", pc_error());
		ns = (after.tv_sec - before.tv_sec) * 1000000000ULL + after.tv_nsec -
		     before.tv_nsec;
		CHECK_EQ(values.enabled, values.running);
		/*
		 * Clock adjustment and the calls of clock_gettime() are far
		 * below 1 %.
		 */
		CHECK(values.enabled < ns + ns / 100 && values.enabled > ns - ns / 100,
		      "%llu instead of %llu", values.enabled, ns);
	}
	pc_close(set);
}

static const struct test tests[] = {
	TEST(many_regions_are_right_within_1_percent),
	TEST(a_long_region_is_right_within_1_percent),
	TEST(times_are_those_of_the_clock),
};

int main(int argc, char **argv)
{
	(void)argc;
	return run_tests(tests, ARRAY_SIZE(tests), argv + 1);
}
