// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of off-CPU time: why the test's thread did not run, and for how long. */

#include <linux/sched.h>
#include <linux/sched/task.h>

#include "test.h"

/* Data of the last sample. Samples of waits for a CPU are not recorded here. */
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
 * Sleep in @state until there is a sample with it. On a busy host, the timer may expire
 * before the thread has stopped.
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

/* A sleep of two jiffies lasts at least one jiffy. The count is the sum of the sampled times. */
static void off_cpu_counts_the_time_not_running(struct kunit *test)
{
	struct perf_counter_desc *desc = open_waits(test);
	u64 before = local_clock(), count;

	sleep_once(TASK_UNINTERRUPTIBLE, false);
	count = perf_counter_desc_value(desc).count;
	KUNIT_EXPECT_EQ(test, seen.nr, 1);
	KUNIT_EXPECT_GE(test, seen.ns, TICK_NSEC / 2);
	KUNIT_EXPECT_GE(test, count, seen.ns);
	KUNIT_EXPECT_LE(test, count, local_clock() - before);
	perf_counter_kernel_close(desc);
}

/* A wait whose start no counter has seen has no reason, even if the task has an old one stored. */
static void off_cpu_without_a_seen_begin_has_no_reason(struct kunit *test)
{
	struct perf_counter_desc *desc = open_waits(test);

	test_state(test, current)->off_cpu.since = 0;
	test_state(test, current)->off_cpu.reason = PERF_COUNTER_OFF_CPU_IO;
	local_irq_disable();
	perf_counter_off_cpu_start(local_clock() + NSEC_PER_SEC, _THIS_IP_, NULL);
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, seen.nr, 1);
	KUNIT_EXPECT_EQ(test, seen.reason, PERF_COUNTER_OFF_CPU_UNKNOWN);
	perf_counter_kernel_close(desc);
}

/*
 * A read adds the time since a task has stopped. It adds nothing for a task that runs, which the
 * test pretends of the idle task, and nothing when the counter's context is gone.
 */
static void off_cpu_read_adds_nothing_while_running(struct kunit *test)
{
	struct perf_counter_desc *desc = open_waits(test);
	struct perf_counter *counter = &desc->first;
	struct perf_counter_ctx *ctx = counter->ctx;
	u64 before, running, gone;

	raw_spin_lock_irq(&ctx->lock);
	before = local64_read(&counter->count);
	counter->off_counted = 0;
	ctx->task = &init_task;
	desc->pmu->read(counter);
	running = local64_read(&counter->count);
	ctx->task = current;
	WRITE_ONCE(counter->ctx, NULL);
	desc->pmu->read(counter);
	gone = local64_read(&counter->count);
	WRITE_ONCE(counter->ctx, ctx);
	raw_spin_unlock_irq(&ctx->lock);
	KUNIT_EXPECT_EQ(test, running, before);
	KUNIT_EXPECT_EQ(test, gone, before);
	perf_counter_kernel_close(desc);
}

/* Threads of the kernel, and those that the kernel adds to a process, run no user code. */
static void tasks_with_two_flags_have_no_user_mode(struct kunit *test)
{
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);
	unsigned int bit;

	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_EXPECT_TRUE(test, perf_counter_has_user_mode(task));
	for (bit = 0; bit < 32; bit++) {
		task->flags = BIT(bit);
		KUNIT_EXPECT_EQ_MSG(test, perf_counter_has_user_mode(task),
				    task->flags != PF_KTHREAD && task->flags != PF_USER_WORKER,
				    "flag %#x", task->flags);
	}
}

/* === Limits of samples in a switch === */

/* Number of counters with the largest possible stack dump. */
#define MOST	48

static struct perf_counter_desc *open_stack(struct kunit *test)
{
	struct perf_counter_attr attr = waits;
	struct perf_counter_desc *desc;

	attr.sample_type = PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER;
	attr.sample_stack_user = 65528;
	desc = perf_counter_kernel_open(&attr, current, -1, on_wait);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, desc);
	return desc;
}

/*
 * Make a counter of waits with records of 24 bytes: header, time and CPU. It only
 * samples in run_again().
 */
static struct perf_counter_desc *waits_in_buffer(struct kunit *test)
{
	struct perf_counter_attr attr = waits;
	struct perf_counter_desc *desc;

	attr.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	desc = test_desc(test, &attr, &perf_counter_sw_pmu);
	desc->event = PERF_COUNTER_SW_OFF_CPU;
	desc->first.sampling.period = 0;
	test_buffer(test, desc);
	test_join_current(test, desc, NULL);
	return desc;
}

/*
 * Let the thread run again after a wait of a second while @desc samples. Returns the
 * number of samples of the in-kernel counters.
 */
static unsigned int run_again(struct perf_counter_desc *desc)
{
	/* The thread has a state, because a counter of @desc counts it. */
	struct perf_counter_task *state = perf_counter_task_state(current);
	unsigned int samples;
	unsigned long flags;

	local_irq_save(flags);
	seen.nr = 0;
	desc->first.sampling.period = 1;
	state->off_cpu.since = perf_counter_clock();
	state->off_cpu.reason = PERF_COUNTER_OFF_CPU_SLEEPING;
	perf_counter_off_cpu_start(state->off_cpu.since + NSEC_PER_SEC, _THIS_IP_, NULL);
	samples = seen.nr;
	desc->first.sampling.period = 0;
	local_irq_restore(flags);
	return samples;
}

static u64 lost_by(struct perf_counter_desc *desc)
{
	return atomic64_read(&desc->writer.lost);
}

/* Number of bytes of records written. */
static u64 written_by(struct perf_counter_desc *desc)
{
	return rcu_dereference_raw(desc->writer.buffer)->control->data_head;
}

/*
 * A switch copies at most 400,000 bytes of stacks plus one stack: seven counters get a
 * sample. All later counters' samples are lost and counted as lost.
 */
static void samples_per_switch_are_limited(struct kunit *test)
{
	struct perf_counter_desc *last = waits_in_buffer(test), *desc[MOST];
	unsigned int nr = 0, until;

	for (until = MOST / 2; until <= MOST; until *= 2) {
		while (nr < until)
			desc[nr++] = open_stack(test);
		KUNIT_EXPECT_EQ_MSG(test, run_again(last), 7, "of %u", nr);
	}
	KUNIT_EXPECT_EQ(test, written_by(last), 0);
	KUNIT_EXPECT_EQ(test, lost_by(last), 2);
	while (nr)
		perf_counter_kernel_close(desc[--nr]);
	/* A single counter has room. A LOST record of 24 bytes precedes its record. */
	run_again(last);
	KUNIT_EXPECT_EQ(test, written_by(last), 48);
	KUNIT_EXPECT_EQ(test, lost_by(last), 2);
}

/*
 * The time for the values of a group grows with its members. With 2,000 members, a
 * switch may take four samples; without members, all of them.
 */
static void large_groups_use_up_the_limit(struct kunit *test)
{
	struct perf_counter_desc *last = waits_in_buffer(test), *desc[8];
	struct perf_counter_attr attr = waits;
	unsigned int i;

	attr.sample_type = PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_GROUP;
	for (i = 0; i < ARRAY_SIZE(desc); i++) {
		desc[i] = perf_counter_kernel_open(&attr, current, -1, on_wait);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, desc[i]);
	}
	KUNIT_EXPECT_EQ(test, run_again(last), 8);
	KUNIT_EXPECT_EQ(test, lost_by(last), 0);
	/* Set only the number: the members are not read, because no record is written. */
	for (i = 0; i < ARRAY_SIZE(desc); i++)
		desc[i]->first.group.nr_members = 2000;
	KUNIT_EXPECT_EQ(test, run_again(last), 4);
	KUNIT_EXPECT_EQ(test, lost_by(last), 1);
	for (i = 0; i < ARRAY_SIZE(desc); i++) {
		desc[i]->first.group.nr_members = 0;
		perf_counter_kernel_close(desc[i]);
	}
}

/* Three samples in a jiffy are allowed, followed by a single THROTTLE record. */
static void waits_are_throttled(struct kunit *test)
{
	unsigned int allowed = perf_counter_max_samples_per_tick, i;
	struct perf_counter_desc *desc = waits_in_buffer(test);
	unsigned long window;
	u64 before, written;

	WRITE_ONCE(perf_counter_max_samples_per_tick, 3);
	do {
		/* Another CPU may start the next jiffy in between. */
		before = written_by(desc);
		window = READ_ONCE(jiffies);
		desc->first.throttle.window_end = window - 1;
		desc->first.throttle.throttled = false;
		for (i = 0; i < 5; i++)
			run_again(desc);
		written = written_by(desc) - before;
	} while (READ_ONCE(jiffies) != window);
	KUNIT_EXPECT_EQ(test, written, 3 * 24 + 32);
	KUNIT_EXPECT_EQ(test, lost_by(desc), 0);
	WRITE_ONCE(perf_counter_max_samples_per_tick, allowed);
}

/* When samples have used up their share of CPU time, samples of a task's waits are lost. */
static void waits_respect_the_cpu_time_budget(struct kunit *test)
{
	struct perf_counter_desc *desc = waits_in_buffer(test);
	struct perf_counter_budget *budget, was;
	u64 before, after, lost;

	local_irq_disable();
	budget = this_cpu_ptr(&perf_counter_budget);
	was = *budget;
	budget->until = jiffies + HZ;
	budget->percent_cycles = 1000000;
	budget->spent = 1000000;
	run_again(desc);
	before = written_by(desc);
	budget->spent = 100 * 1000000;
	run_again(desc);
	after = written_by(desc);
	lost = lost_by(desc);
	budget->until = was.until;
	budget->percent_cycles = was.percent_cycles;
	budget->spent = was.spent;
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, before, 24);
	KUNIT_EXPECT_EQ(test, after, 24);
	KUNIT_EXPECT_EQ(test, lost, 1);
}

static struct kunit_case off_cpu_cases[] = {
	KUNIT_CASE(off_cpu_has_a_reason),
	KUNIT_CASE(off_cpu_counts_the_time_not_running),
	KUNIT_CASE(off_cpu_without_a_seen_begin_has_no_reason),
	KUNIT_CASE(off_cpu_read_adds_nothing_while_running),
	KUNIT_CASE(tasks_with_two_flags_have_no_user_mode),
	KUNIT_CASE(samples_per_switch_are_limited),
	KUNIT_CASE(large_groups_use_up_the_limit),
	KUNIT_CASE(waits_are_throttled),
	KUNIT_CASE(waits_respect_the_cpu_time_budget),
	{}
};

static struct kunit_suite off_cpu_suite = {
	.name		= "perf_counter_off_cpu",
	.test_cases	= off_cpu_cases,
};

kunit_test_suite(off_cpu_suite);
