// SPDX-License-Identifier: GPL-2.0
/*
 * Time off the CPU, an event of our own: for how long tasks did not run. What switches
 * count is in context/off_cpu.c; here is what happens in between.
 */

#include <linux/lockdep.h>
#include <linux/sched.h>

#include "source.h"

/*
 * If @counter's task does not run, count what has passed since it stopped. A CPU's counters
 * have nothing to count before a task runs there; neither has one that counts on one CPU,
 * or with a group that has to be loaded, for which it depends on where the task runs next;
 * nor one that counts long times alone.
 */
static void off_cpu_read(struct perf_counter *counter)
{
	struct perf_counter_ctx *ctx = READ_ONCE(counter->ctx);
	struct task_struct *task;
	u64 now, since;

	if (!ctx || READ_ONCE(ctx->live_cpu) != CTX_STOPPED || !counter->group_enabled)
		return;
	task = ctx->task;
	/* In an event while it is being switched out, it has nothing to add yet. */
	if (!task || task == current)
		return;
	lockdep_assert_held(&ctx->lock);
	if ((counter->filter & ~FILTER_IDLE) || counter->desc->attr.config1 ||
	    (counter->desc->attr.exclude_kernel && !perf_counter_has_user_mode(task)))
		return;
	now = perf_counter_clock();
	since = max(READ_ONCE(task->perf_counter_off_since), counter->off_counted);
	local64_add(perf_counter_since(now, since), &counter->count);
	counter->off_counted = max(now, counter->off_counted);
}

static void off_cpu_state(struct perf_counter *counter, bool on)
{
	if (!on) {
		off_cpu_read(counter);
		return;
	}
	counter->off_from = perf_counter_clock();
	counter->off_counted = counter->off_from;
}

/* The time is of neither mode. */
static void off_cpu_counter_init(struct perf_counter *counter)
{
	counter->tells_state = true;
	counter->filter &= ~(FILTER_USER | FILTER_KERNEL);
}

static int off_cpu_event_init(const struct perf_counter_pmu *pmu, struct perf_counter_desc *desc)
{
	int err = perf_counter_sw_attr_check(&desc->attr);

	if (err)
		return err;
	if (desc->attr.config != PERF_COUNT_SW_OFF_CPU)
		return -ENOENT;
	/* Of a task, a second is one in which it runs: there is no frequency of what it waits. */
	if (desc->attr.freq)
		return -EINVAL;
	desc->event = PERF_COUNTER_SW_OFF_CPU;
	/* In a sample, these are all that is left out. */
	desc->attr.exclude_callchain_user |= desc->attr.exclude_user;
	desc->attr.exclude_callchain_kernel |= desc->attr.exclude_kernel;
	return 0;
}

static struct perf_counter_pmu off_cpu_pmu = {
	.types		= BIT(PERF_TYPE_SOFTWARE),
	.event_init	= off_cpu_event_init,
	.counter_init	= off_cpu_counter_init,
	.read		= off_cpu_read,
	.state		= off_cpu_state,
};

static int __init off_cpu_init(void)
{
	return perf_counter_register_pmu(&off_cpu_pmu);
}
core_initcall(off_cpu_init);
