// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the time that samples may take: the limit on their rate is lowered as often
 * as they take too much.
 */

#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/timex.h>

#include "test.h"

/* A tenth of a second has passed on this CPU, of which samples have taken nine tenths. */
static void take_too_much(void)
{
	struct perf_counter_budget *budget = get_cpu_ptr(&perf_counter_budget);

	budget->until = jiffies;
	budget->since = get_cycles() - 1000000;
	budget->spent = 900000;
	perf_counter_budget_look();
	put_cpu_ptr(&perf_counter_budget);
	irq_work_sync(&budget->lower);
}

static void budget_is_lowered_each_time(struct kunit *test)
{
	int was = READ_ONCE(sysctl_perf_counter_max_sample_rate), before, rate = was;
	struct perf_counter_budget *budget;
	unsigned int i;

	if (!get_cycles())
		kunit_skip(test, "cycles are not counted here");
	migrate_disable();
	budget = this_cpu_ptr(&perf_counter_budget);
	budget->rate = was;
	for (i = 0; i < 3; i++) {
		before = rate;
		take_too_much();
		rate = READ_ONCE(sysctl_perf_counter_max_sample_rate);
		KUNIT_EXPECT_LT_MSG(test, rate, before, "time %u", i);
	}
	perf_counter_replace_max_sample_rate(rate, was);
	budget->rate = was;
	migrate_enable();
}

static struct kunit_case budget_cases[] = {
	KUNIT_CASE(budget_is_lowered_each_time),
	{}
};

static struct kunit_suite budget_suite = {
	.name		= "perf_counter_budget",
	.test_cases	= budget_cases,
};

kunit_test_suite(budget_suite);
