// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the CPU time that samples may take: the rate limit is lowered each
 * time that they take too much.
 */

#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/timex.h>

#include "test.h"

/*
 * Let the interval of the budget end on this CPU, as if it had a million cycles and samples had
 * taken @percent of them. Without a cycle counter, get_cycles() stands still, so the interval has
 * exactly a million cycles.
 */
static void spend_budget(unsigned int percent)
{
	struct perf_counter_budget *budget = get_cpu_ptr(&perf_counter_budget);

	budget->until = jiffies;
	budget->since = get_cycles() - 1000000;
	budget->spent += percent * 10000;
	perf_counter_budget_look();
	put_cpu_ptr(&perf_counter_budget);
}

static void rate_is_lowered_each_time(struct kunit *test)
{
	int was = READ_ONCE(sysctl_perf_counter_max_sample_rate), before, rate = was;
	struct perf_counter_budget *budget;
	unsigned long flags;
	unsigned int i;

	migrate_disable();
	budget = this_cpu_ptr(&perf_counter_budget);
	budget->rate = was;
	budget->spent = 0;
	for (i = 0; i < 3; i++) {
		before = rate;
		/* NMIs in a row leave no time for an interrupt. */
		local_irq_save(flags);
		spend_budget(90);
		rate = READ_ONCE(sysctl_perf_counter_max_sample_rate);
		local_irq_restore(flags);
		KUNIT_EXPECT_LT_MSG(test, rate, before, "time %u", i);
	}
	perf_counter_replace_max_sample_rate(rate, was);
	budget->rate = was;
	irq_work_sync(&budget->tell);
	migrate_enable();
}

/*
 * The time of samples in one tenth of a second does not count in the next. Samples may take 25 %.
 */
static void budget_starts_anew_each_interval(struct kunit *test)
{
	int was = READ_ONCE(sysctl_perf_counter_max_sample_rate);
	struct perf_counter_budget *budget;
	unsigned int i;

	migrate_disable();
	budget = this_cpu_ptr(&perf_counter_budget);
	budget->rate = was;
	budget->spent = 0;
	for (i = 0; i < 5; i++) {
		spend_budget(15);
		KUNIT_EXPECT_EQ_MSG(test, READ_ONCE(sysctl_perf_counter_max_sample_rate), was,
				    "time %u", i);
		KUNIT_EXPECT_EQ_MSG(test, budget->spent, 0, "time %u", i);
	}
	WRITE_ONCE(sysctl_perf_counter_max_sample_rate, was);
	budget->spent = 0;
	budget->rate = was;
	migrate_enable();
}

/*
 * 1 % of a tenth of a second is a hundredth of its cycles, however long ago the last
 * check was. The limit is lowered after more than 25 %.
 */
static void rate_is_lowered_above_the_share(struct kunit *test)
{
	struct perf_counter_budget *budget;
	unsigned int windows;
	u64 since;

	migrate_disable();
	budget = this_cpu_ptr(&perf_counter_budget);
	for (windows = 1; windows <= 3; windows++) {
		budget->spent = 0;
		budget->until = jiffies - (windows - 1) * (HZ / 10);
		budget->since = get_cycles() - windows * 1000000;
		since = budget->since;
		perf_counter_budget_look();
		/*
		 * A check that was late by a tick or more has divided by a larger number of ticks.
		 */
		KUNIT_EXPECT_LE_MSG(test, budget->percent_cycles,
				    (budget->since - since) / (100 * windows), "%u", windows);
		KUNIT_EXPECT_GE_MSG(test, budget->percent_cycles,
				    (budget->since - since) / (100 * windows) / 2, "%u", windows);
	}
	/* Keep other checks from running in between. */
	budget->until = jiffies + 3600 * HZ;
	budget->percent_cycles = 100;
	budget->spent = 2500;
	KUNIT_EXPECT_FALSE(test, perf_counter_budget_is_spent());
	budget->spent = 2501;
	KUNIT_EXPECT_TRUE(test, perf_counter_budget_is_spent());
	budget->percent_cycles = 0;
	KUNIT_EXPECT_FALSE(test, perf_counter_budget_is_spent());

	budget->spent = 0;
	budget->until = jiffies;
	migrate_enable();
}

/* The next check is a tenth of a second after this one. */
static void budget_is_not_looked_at_again_at_once(struct kunit *test)
{
	struct perf_counter_budget *budget;
	unsigned long before, until, after;

	migrate_disable();
	budget = this_cpu_ptr(&perf_counter_budget);
	before = jiffies;
	spend_budget(0);
	until = READ_ONCE(budget->until);
	after = jiffies;
	migrate_enable();
	KUNIT_EXPECT_GE(test, until - before, HZ / 10);
	KUNIT_EXPECT_LE(test, (long)(until - after), HZ / 10);
}

static struct kunit_case budget_cases[] = {
	KUNIT_CASE(rate_is_lowered_each_time),
	KUNIT_CASE(budget_starts_anew_each_interval),
	KUNIT_CASE(rate_is_lowered_above_the_share),
	KUNIT_CASE(budget_is_not_looked_at_again_at_once),
	{}
};

static struct kunit_suite budget_suite = {
	.name		= "perf_counter_budget",
	.test_cases	= budget_cases,
};

kunit_test_suite(budget_suite);
