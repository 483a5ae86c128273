// SPDX-License-Identifier: GPL-2.0
/* A machine without a PMU. */
#include "work.h"

static void pmu_events_are_refused(void)
{
	CHECK(!pc_open("instructions") && errno == ENOENT, "no error: %s", strerror(errno));
	CHECK_SAYS(pc_error(), "event 'instructions': this machine has no PMU: count software events");
	CHECK(!pc_open("task-clock,rc0") && errno == ENOENT, "no error");
	CHECK_SAYS(pc_error(), "event 'rc0': this machine has no PMU");
}

static void software_events_are_counted(void)
{
	struct pc_set *set = open_set("task-clock");
	struct pc_region region;
	struct pc_values values;

	CHECK_EQ(0, pc_reads_registers(set));
	pc_region_init(&region, set);
	count_work(&region, 0, 10000000);
	CHECK(!pc_result(&region, &values), "%s", pc_error());
	CHECK(values.count[0], "no time");
	CHECK_EQ(values.enabled, values.running);
	pc_close(set);
}

static const struct test tests[] = {
	TEST(pmu_events_are_refused),
	TEST(software_events_are_counted),
};

int main(int argc, char **argv)
{
	(void)argc;
	return run_tests(tests, ARRAY_SIZE(tests), argv + 1);
}
