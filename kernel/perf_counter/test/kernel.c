// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of in-kernel counters: of the dummy event, which only tests raise, and of
 * the clock of a CPU, which has a timer.
 */

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/perf_counter_trace.h>
#include <linux/pid_namespace.h>
#include <linux/smp.h>
#include <linux/trace_events.h>

#include "test.h"

/* Maximum delay of a timer on a busy host, in jiffies. */
#define LATE	(30 * HZ)

/* Data of the last overflow, and the number of overflows. */
static struct {
	struct perf_counter_desc	*desc;
	struct pt_regs			*regs;
	u64				period;
	unsigned int			nr;
	int				cpu;
	struct completion		done;
} seen;

static void on_overflow(struct perf_counter_desc *desc, const struct perf_counter_sample *sample,
			struct pt_regs *regs)
{
	seen.desc = desc;
	seen.regs = regs;
	seen.period = sample->period;
	seen.cpu = smp_processor_id();
	seen.nr++;
	complete(&seen.done);
}

/* A counter that overflows at every third event once it is enabled. */
static const struct perf_counter_attr dummy = {
	.type		= PERF_TYPE_SOFTWARE,
	.config		= PERF_COUNT_SW_DUMMY,
	.sample_period	= 3,
	.disabled	= 1,
};

static struct perf_counter_desc *kernel_open(struct kunit *test,
					     const struct perf_counter_attr *attr,
					     struct task_struct *task, int cpu)
{
	struct perf_counter_desc *desc;

	memset(&seen, 0, sizeof(seen));
	init_completion(&seen.done);
	desc = perf_counter_kernel_open(attr, task, cpu, on_overflow);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, desc);
	return desc;
}

static void kernel_counter_overflows(struct kunit *test)
{
	struct perf_counter_desc *desc = kernel_open(test, &dummy, current, -1);

	test_raise(5);
	KUNIT_EXPECT_EQ(test, perf_counter_desc_value(desc).count, 0);
	perf_counter_kernel_enable(desc);
	test_raise(1);
	test_raise(1);
	KUNIT_EXPECT_EQ(test, seen.nr, 0);
	test_raise(1);
	KUNIT_EXPECT_EQ(test, seen.nr, 1);
	KUNIT_EXPECT_PTR_EQ(test, seen.desc, desc);
	KUNIT_EXPECT_EQ(test, seen.period, 3);
	KUNIT_EXPECT_NOT_NULL(test, seen.regs);
	/* 3 + 7 events: the third, the sixth and the ninth overflow. */
	test_raise(7);
	KUNIT_EXPECT_EQ(test, seen.nr, 3);
	perf_counter_desc_do(desc, perf_counter_op_disable);
	test_raise(5);
	KUNIT_EXPECT_EQ(test, seen.nr, 3);
	KUNIT_EXPECT_EQ(test, perf_counter_desc_value(desc).count, 10);
	perf_counter_kernel_close(desc);
}

/* The first counter of a task counts at once, not from the next switch on. */
static void kernel_counter_begins_at_once(struct kunit *test)
{
	struct perf_counter_desc *desc = kernel_open(test, &dummy, current, -1);

	KUNIT_EXPECT_GE(test, READ_ONCE(desc->first.ctx->live_cpu), 0);
	perf_counter_kernel_close(desc);
}

static void kernel_counter_has_no_owner(struct kunit *test)
{
	struct perf_counter_desc *desc = kernel_open(test, &dummy, current, -1);

	KUNIT_EXPECT_NULL(test, desc->owner.task);
	KUNIT_EXPECT_NULL(test, desc->label);
	KUNIT_EXPECT_PTR_EQ(test, desc->records.ns, &init_pid_ns);
	/*
	 * perf_counter_task_enable() enables the counters that the task has opened; the kernel has
	 * opened this one.
	 */
	perf_counter_task_enable();
	test_raise(3);
	KUNIT_EXPECT_EQ(test, seen.nr, 0);
	perf_counter_kernel_close(desc);
}

static void kernel_counter_changes_its_period(struct kunit *test)
{
	struct perf_counter_desc *desc = kernel_open(test, &dummy, current, -1);

	perf_counter_kernel_enable(desc);
	test_raise(2);
	KUNIT_EXPECT_EQ(test, perf_counter_desc_set_period(desc, 5), 0);
	test_raise(4);
	KUNIT_EXPECT_EQ(test, seen.nr, 0);
	test_raise(1);
	KUNIT_EXPECT_EQ(test, seen.nr, 1);
	KUNIT_EXPECT_EQ(test, seen.period, 5);
	KUNIT_EXPECT_EQ(test, perf_counter_desc_set_period(desc, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_counter_desc_value(desc).count, 7);
	perf_counter_kernel_close(desc);
}

/*
 * Once enable has returned, the enabled time advances, even if the counter is not read or switched.
 */
static void kernel_counter_has_times(struct kunit *test)
{
	struct perf_counter_desc *desc = kernel_open(test, &dummy, current, -1);
	struct perf_counter_value value;

	KUNIT_EXPECT_EQ(test, perf_counter_desc_value(desc).enabled, 0);
	perf_counter_kernel_enable(desc);
	do {
		cond_resched();
		value = perf_counter_desc_value(desc);
	} while (!value.enabled);
	KUNIT_EXPECT_EQ(test, value.running, value.enabled);
	perf_counter_desc_do(desc, perf_counter_op_disable);
	value = perf_counter_desc_value(desc);
	KUNIT_EXPECT_EQ(test, perf_counter_desc_value(desc).enabled, value.enabled);
	perf_counter_kernel_close(desc);
}

static void kernel_counter_is_reset_again(struct kunit *test)
{
	struct perf_counter_desc *desc = kernel_open(test, &dummy, current, -1);

	perf_counter_kernel_enable(desc);
	test_raise(5);
	perf_counter_desc_do(desc, perf_counter_op_reset);
	KUNIT_EXPECT_EQ(test, perf_counter_desc_value(desc).count, 0);
	test_raise(3);
	KUNIT_EXPECT_EQ(test, perf_counter_desc_value(desc).count, 3);
	perf_counter_desc_do(desc, perf_counter_op_reset);
	KUNIT_EXPECT_EQ(test, perf_counter_desc_value(desc).count, 0);
	test_raise(2);
	KUNIT_EXPECT_EQ(test, perf_counter_desc_value(desc).count, 2);
	perf_counter_kernel_close(desc);
}

/* The first period of a clock follows from its frequency; that of other events is 1. */
static void kernel_counter_begins_with_a_period(struct kunit *test)
{
	struct perf_counter_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= PERF_COUNT_SW_CPU_CLOCK,
		.freq		= 1,
		.sample_freq	= 100,
		.disabled	= 1,
	};
	struct perf_counter_desc *desc = kernel_open(test, &attr, current, -1);

	KUNIT_EXPECT_EQ(test, desc->first.sampling.period, 10 * NSEC_PER_MSEC);
	perf_counter_kernel_close(desc);
	attr.config = PERF_COUNT_SW_DUMMY;
	desc = kernel_open(test, &attr, current, -1);
	KUNIT_EXPECT_EQ(test, desc->first.sampling.period, 1);
	perf_counter_kernel_close(desc);
}

/* Let the counter overflow more often in a tick than a counter of a program may. */
static void kernel_counter_is_not_throttled(struct kunit *test)
{
	unsigned int max = perf_counter_max_samples_per_tick;
	struct perf_counter_attr attr = dummy;
	struct perf_counter_desc *desc;
	static struct pt_regs regs;
	struct perf_counter_sample sample = { .regs = &regs };
	unsigned int i, throttled = 0;

	attr.sample_period = 1;
	desc = kernel_open(test, &attr, current, -1);
	for (i = 0; i < 2 * max; i++) {
		throttled += perf_counter_throttle(&desc->first, false, 0);
		KUNIT_EXPECT_FALSE(test, perf_counter_overflow(&desc->first, &sample));
	}
	KUNIT_EXPECT_EQ(test, throttled, 0);
	KUNIT_EXPECT_EQ(test, seen.nr, 2 * max);
	perf_counter_kernel_close(desc);
}

static void kernel_counter_of_a_cpu(struct kunit *test)
{
	int cpu = cpumask_last(cpu_online_mask);
	struct perf_counter_desc *desc;
	const struct perf_counter_attr clock = {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= PERF_COUNT_SW_CPU_CLOCK,
		.sample_period	= NSEC_PER_MSEC,
		.disabled	= 1,
	};
	unsigned int nr;

	desc = kernel_open(test, &clock, NULL, cpu);
	perf_counter_kernel_enable(desc);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&seen.done, LATE), 0);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&seen.done, LATE), 0);
	KUNIT_EXPECT_PTR_EQ(test, seen.desc, desc);
	KUNIT_EXPECT_EQ(test, seen.cpu, cpu);
	perf_counter_kernel_close(desc);
	nr = seen.nr;
	mdelay(3);
	KUNIT_EXPECT_EQ(test, seen.nr, nr);
}

/* Count a task on a single CPU, on which the task does not run. */
static void kernel_counter_of_a_task_on_another_cpu(struct kunit *test)
{
	const struct perf_counter_attr clock = {
		.type	= PERF_TYPE_SOFTWARE,
		.config	= PERF_COUNT_SW_TASK_CLOCK,
	};
	struct perf_counter_desc *desc = kernel_open(test, &clock, current, nr_cpu_ids);
	struct perf_counter_value value;

	do {
		cond_resched();
		value = perf_counter_desc_value(desc);
	} while (!value.enabled);
	KUNIT_EXPECT_EQ(test, value.count, 0);
	KUNIT_EXPECT_EQ(test, value.running, 0);
	perf_counter_kernel_close(desc);
}

/* A counter of a CPU counts the events of a task that has no counter. */
static void kernel_counter_of_events_on_a_cpu(struct kunit *test)
{
	struct perf_counter_desc *desc;
	int cpu = raw_smp_processor_id();

	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
	KUNIT_ASSERT_NULL(test, perf_counter_task_ctx(current));
	desc = kernel_open(test, &dummy, NULL, cpu);
	perf_counter_kernel_enable(desc);
	test_raise(3);
	KUNIT_EXPECT_EQ(test, seen.nr, 1);
	KUNIT_EXPECT_EQ(test, perf_counter_desc_value(desc).count, 3);
	perf_counter_kernel_close(desc);
}

static void kernel_counter_of_a_cpu_that_is_off(struct kunit *test)
{
	struct perf_counter_desc *desc;
	struct perf_counter_ctx *ctx;
	int cpu = raw_smp_processor_id();

	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
	ctx = per_cpu_ptr(&perf_counter_cpu_ctx, cpu);
	raw_spin_lock_irq(&ctx->lock);
	perf_counter_ctx_stop(ctx);
	raw_spin_unlock_irq(&ctx->lock);
	desc = perf_counter_kernel_open(&dummy, NULL, cpu, on_overflow);
	raw_spin_lock_irq(&ctx->lock);
	perf_counter_ctx_start(ctx, perf_counter_clock());
	raw_spin_unlock_irq(&ctx->lock);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(desc), -ENODEV);
	if (!IS_ERR(desc))
		perf_counter_kernel_close(desc);
}

/* Error of an open, or 0; a counter that was opened is closed again. */
static int open_error(const struct perf_counter_attr *attr)
{
	struct perf_counter_desc *desc = perf_counter_kernel_open(attr, current, -1, on_overflow);

	if (IS_ERR(desc))
		return PTR_ERR(desc);
	perf_counter_kernel_close(desc);
	return 0;
}

/* Refuse the first number that is not an event, and events with further fields in the attr. */
static void impossible_kernel_counter_is_refused(struct kunit *test)
{
	struct perf_counter_attr attr = dummy;

	attr.config = PERF_COUNT_SW_DUMMY + 1;
	KUNIT_EXPECT_EQ(test, open_error(&attr), -ENOENT);
	attr = dummy;
	attr.config1 = 1;
	KUNIT_EXPECT_EQ(test, open_error(&attr), -EINVAL);
	attr = dummy;
	attr.config2 = 1;
	KUNIT_EXPECT_EQ(test, open_error(&attr), -EINVAL);
	attr = dummy;
	attr.config3 = 1;
	KUNIT_EXPECT_EQ(test, open_error(&attr), -EINVAL);
	attr = dummy;
	attr.bp_type = 1;
	KUNIT_EXPECT_EQ(test, open_error(&attr), -EINVAL);
}

static unsigned int filter_of(struct kunit *test, struct perf_counter_attr attr, int cpu)
{
	struct perf_counter_desc *desc;
	unsigned int filter;

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	desc = kernel_open(test, &attr, current, cpu);
	filter = desc->first.filter;
	perf_counter_kernel_close(desc);
	return filter;
}

static void kernel_counter_has_its_filters(struct kunit *test)
{
	const struct perf_counter_attr all = {}, no_user = { .exclude_user = 1 };
	const struct perf_counter_attr no_kernel = { .exclude_kernel = 1 };
	const struct perf_counter_attr no_idle = { .exclude_idle = 1 };
	const struct perf_counter_attr no_host = { .exclude_host = 1 };

	KUNIT_EXPECT_EQ(test, filter_of(test, all, -1), 0);
	KUNIT_EXPECT_EQ(test, filter_of(test, all, 0), FILTER_CPU);
	KUNIT_EXPECT_EQ(test, filter_of(test, no_user, -1), FILTER_USER);
	KUNIT_EXPECT_EQ(test, filter_of(test, no_kernel, -1), FILTER_KERNEL);
	KUNIT_EXPECT_EQ(test, filter_of(test, no_idle, -1), FILTER_IDLE);
	KUNIT_EXPECT_EQ(test, filter_of(test, no_host, -1), FILTER_HOST);
}

/* A counter without a function for overflows only counts. */
static void kernel_counter_without_function_counts(struct kunit *test)
{
	struct perf_counter_desc *desc = perf_counter_kernel_open(&dummy, current, -1, NULL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, desc);
	perf_counter_kernel_enable(desc);
	test_raise(4);
	KUNIT_EXPECT_EQ(test, perf_counter_desc_value(desc).count, 4);
	perf_counter_kernel_close(desc);
}

/* Enabling a counter resets a used-up limit, and keeps a limit that is left. */
static void enabling_resets_a_used_up_limit(struct kunit *test)
{
	struct perf_counter_desc *desc = kernel_open(test, &dummy, current, -1);

	atomic_set(&desc->refresh.limit, 2);
	perf_counter_kernel_enable(desc);
	KUNIT_EXPECT_EQ(test, atomic_read(&desc->refresh.limit), 2);
	atomic_set(&desc->refresh.limit, 0);
	perf_counter_kernel_enable(desc);
	KUNIT_EXPECT_EQ(test, atomic_read(&desc->refresh.limit), -1);
	perf_counter_kernel_close(desc);
}

#ifdef CONFIG_EVENT_TRACING
/* The record of task:task_rename, by its format in tracefs. */
struct rename_record {
	struct trace_entry	ent;
	pid_t			pid;
	char			old_name[TASK_COMM_LEN];
	char			new_name[TASK_COMM_LEN];
	s16			oom_score_adj;
} __packed;

/*
 * The last sample of a tracepoint, and the number of samples. @hole tells whether a byte after the
 * fields of the record is not 0.
 */
static struct {
	unsigned int		nr;
	bool			hole;
	unsigned long		ip;
	u32			size;
	struct rename_record	record;
} renamed;

static void on_rename(struct perf_counter_desc *desc, const struct perf_counter_sample *sample,
		      struct pt_regs *regs)
{
	renamed.nr++;
	renamed.ip = sample->ip;
	renamed.size = sample->extra->raw_size;
	memcpy(&renamed.record, sample->extra->raw, sizeof(renamed.record));
	renamed.hole |= !!memchr_inv(sample->extra->raw + sizeof(renamed.record), 0,
				     renamed.size - sizeof(renamed.record));
	/* The next record uses the same memory: leave other bytes there than a record would. */
	memset((void *)sample->extra->raw, 0xa5, renamed.size);
}

/* The event file of a counter answers its probe: one counter counts, another gets the record. */
static void kernel_counter_of_a_tracepoint(struct kunit *test)
{
	struct perf_counter_attr attr = { .type = PERF_TYPE_TRACEPOINT };
	struct perf_counter_desc *counts, *samples;
	struct trace_event_file *file;
	char name[TASK_COMM_LEN];

	memset(&renamed, 0, sizeof(renamed));
	file = trace_get_event_file(NULL, "task", "task_rename");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	attr.config = file->event_call->event.type;
	trace_put_event_file(file);

	get_task_comm(name, current);
	set_task_comm(current, name);
	counts = perf_counter_kernel_open(&attr, current, -1, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, counts);
	set_task_comm(current, name);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW;
	samples = perf_counter_kernel_open(&attr, current, -1, on_rename);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, samples);
	set_task_comm(current, "rename 1");
	set_task_comm(current, "rename 2");
	perf_counter_kernel_close(samples);
	set_task_comm(current, name);

	KUNIT_EXPECT_EQ(test, perf_counter_desc_value(counts).count, 4);
	perf_counter_kernel_close(counts);
	set_task_comm(current, name);

	KUNIT_EXPECT_EQ(test, renamed.nr, 2);
	KUNIT_EXPECT_TRUE(test, kernel_text_address(renamed.ip));
	KUNIT_EXPECT_GT(test, renamed.size, sizeof(renamed.record));
	/* No byte of an older record shows after the fields. */
	KUNIT_EXPECT_FALSE(test, renamed.hole);
	KUNIT_EXPECT_EQ(test, renamed.record.ent.type, attr.config);
	KUNIT_EXPECT_EQ(test, renamed.record.ent.pid, current->pid);
	KUNIT_EXPECT_EQ(test, renamed.record.pid, current->pid);
	KUNIT_EXPECT_STREQ(test, renamed.record.old_name, "rename 1");
	KUNIT_EXPECT_STREQ(test, renamed.record.new_name, "rename 2");
}

/* A probe prepares no record if only other tasks and CPUs count its event. */
static void event_without_a_counter_needs_no_record(struct kunit *test)
{
	struct perf_counter_tracepoint *uncounted;
	struct trace_event_buffer fbuffer;
	bool done;

	uncounted = kunit_kzalloc(test, sizeof(*uncounted), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, uncounted);
	uncounted->id = U32_MAX;
	preempt_disable();
	done = perf_counter_tracepoint_done(&uncounted->file, _THIS_IP_, NULL);
	if (!done)
		perf_counter_tracepoint_reserve(&fbuffer, &uncounted->file, sizeof(u64));
	preempt_enable();
	KUNIT_EXPECT_TRUE(test, done);
}
#endif

static struct kunit_case kernel_cases[] = {
	KUNIT_CASE(enabling_resets_a_used_up_limit),
	KUNIT_CASE(kernel_counter_overflows),
	KUNIT_CASE(kernel_counter_begins_at_once),
	KUNIT_CASE(kernel_counter_has_no_owner),
	KUNIT_CASE(kernel_counter_changes_its_period),
	KUNIT_CASE(kernel_counter_has_times),
	KUNIT_CASE(kernel_counter_is_reset_again),
	KUNIT_CASE(kernel_counter_begins_with_a_period),
	KUNIT_CASE(kernel_counter_is_not_throttled),
	KUNIT_CASE(kernel_counter_of_a_cpu),
	KUNIT_CASE(kernel_counter_of_a_task_on_another_cpu),
	KUNIT_CASE(kernel_counter_of_events_on_a_cpu),
	KUNIT_CASE(kernel_counter_of_a_cpu_that_is_off),
	KUNIT_CASE(impossible_kernel_counter_is_refused),
	KUNIT_CASE(kernel_counter_has_its_filters),
	KUNIT_CASE(kernel_counter_without_function_counts),
#ifdef CONFIG_EVENT_TRACING
	KUNIT_CASE(kernel_counter_of_a_tracepoint),
	KUNIT_CASE(event_without_a_counter_needs_no_record),
#endif
	{}
};

static struct kunit_suite kernel_suite = {
	.name		= "perf_counter_kernel",
	.test_cases	= kernel_cases,
};

kunit_test_suite(kernel_suite);
