// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of time off the CPU: why a task did not run, and for how long, of the thread
 * that runs the test.
 */

#include <linux/sched.h>

#include "test.h"

/* What samples have said, of waits that the thread did not have for want of a CPU. */
static struct {
	unsigned int	nr;
	u32		reason;
	u64		ns;
	unsigned long	ip;
} seen;

static void on_wait(struct perf_counter_desc *desc, const struct perf_counter_sample *sample,
		    struct pt_regs *regs)
{
	const struct perf_counter_off_cpu *off = sample->extra->raw;

	if (off->reason == PERF_COUNTER_OFF_CPU_RUNNABLE)
		return;
	seen.nr++;
	seen.reason = off->reason;
	seen.ns = sample->period;
	seen.ip = sample->ip;
}

static const struct perf_counter_attr waits = {
	.type		= PERF_TYPE_SOFTWARE,
	.config		= PERF_COUNT_SW_OFF_CPU,
	.sample_period	= 1,
};

static struct perf_counter_desc *open_waits(struct kunit *test)
{
	struct perf_counter_desc *desc;

	memset(&seen, 0, sizeof(seen));
	desc = perf_counter_kernel_open(&waits, current, -1, on_wait);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, desc);
	return desc;
}

/*
 * Sleep in @state until there was a sample of it: where a host holds the CPU up at the wrong
 * moment, the timer goes off before the thread has stopped.
 */
static void sleep_once(unsigned int state, bool io)
{
	unsigned int i;

	seen.nr = 0;
	for (i = 0; i < 10 && !seen.nr; i++) {
		set_current_state(state);
		if (io)
			io_schedule_timeout(2);
		else
			schedule_timeout(2);
	}
}

static void off_cpu_has_a_reason(struct kunit *test)
{
	static const struct {
		unsigned int	state;
		bool		io;
		u32		reason;
	} cases[] = {
		{ TASK_INTERRUPTIBLE, false, PERF_COUNTER_OFF_CPU_SLEEPING },
		{ TASK_UNINTERRUPTIBLE, false, PERF_COUNTER_OFF_CPU_UNINTERRUPTIBLE },
		{ TASK_KILLABLE, false, PERF_COUNTER_OFF_CPU_UNINTERRUPTIBLE },
		{ TASK_IDLE, false, PERF_COUNTER_OFF_CPU_SLEEPING },
		{ TASK_INTERRUPTIBLE, true, PERF_COUNTER_OFF_CPU_IO },
		{ TASK_UNINTERRUPTIBLE, true, PERF_COUNTER_OFF_CPU_IO },
	};
	struct perf_counter_desc *desc = open_waits(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		sleep_once(cases[i].state, cases[i].io);
		KUNIT_EXPECT_EQ_MSG(test, seen.nr, 1, "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, seen.reason, cases[i].reason, "case %u", i);
		KUNIT_EXPECT_NE(test, seen.ip, 0);
	}
	perf_counter_kernel_close(desc);
}

/* Two jiffies are one at least, and what is counted is what the samples say. */
static void off_cpu_is_as_long_as_it_was(struct kunit *test)
{
	struct perf_counter_desc *desc = open_waits(test);
	u64 before = local_clock(), count;

	sleep_once(TASK_UNINTERRUPTIBLE, false);
	count = perf_counter_kernel_read(desc, NULL, NULL);
	KUNIT_EXPECT_EQ(test, seen.nr, 1);
	KUNIT_EXPECT_GE(test, seen.ns, TICK_NSEC / 2);
	KUNIT_EXPECT_GE(test, count, seen.ns);
	KUNIT_EXPECT_LE(test, count, local_clock() - before);
	perf_counter_kernel_close(desc);
}

/* Who could not be seen to stop has no reason, whatever the task remembers. */
static void off_cpu_of_before_is_unknown(struct kunit *test)
{
	struct perf_counter_desc *desc = open_waits(test);

	current->perf_counter_off_since = 0;
	current->perf_counter_off_reason = PERF_COUNTER_OFF_CPU_IO;
	local_irq_disable();
	perf_counter_off_cpu_start(local_clock() + NSEC_PER_SEC, _THIS_IP_);
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, seen.nr, 1);
	KUNIT_EXPECT_EQ(test, seen.reason, PERF_COUNTER_OFF_CPU_UNKNOWN);
	perf_counter_kernel_close(desc);
}

static struct kunit_case off_cpu_cases[] = {
	KUNIT_CASE(off_cpu_has_a_reason),
	KUNIT_CASE(off_cpu_is_as_long_as_it_was),
	KUNIT_CASE(off_cpu_of_before_is_unknown),
	{}
};

static struct kunit_suite off_cpu_suite = {
	.name		= "perf_counter_off_cpu",
	.test_cases	= off_cpu_cases,
};

kunit_test_suite(off_cpu_suite);
