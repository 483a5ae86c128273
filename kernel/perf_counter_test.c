// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of perf_counter: what can be tested without a program.
 */

#include <kunit/test.h>

#include "perf_counter.h"

static void attr_zero_is_accepted(struct kunit *test)
{
	struct perf_counter_attr attr = {};

	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), 0);
}

static void attr_unknown_sample_type_is_refused(struct kunit *test)
{
	struct perf_counter_attr attr = { .sample_type = PERF_SAMPLE_BRANCH_STACK };

	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), -EINVAL);
}

static struct kunit_case attr_cases[] = {
	KUNIT_CASE(attr_zero_is_accepted),
	KUNIT_CASE(attr_unknown_sample_type_is_refused),
	{}
};

static struct kunit_suite attr_suite = {
	.name = "perf_counter_attr",
	.test_cases = attr_cases,
};

kunit_test_suite(attr_suite);
