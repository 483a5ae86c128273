// SPDX-License-Identifier: GPL-2.0
/*
 * The off-CPU time event of perf_counter: the time for which tasks do not run.
 * context/off_cpu.c counts at each switch; the code here adds the time since the last
 * switch when a counter is read, enabled or disabled.
 */

#include <linux/lockdep.h>
#include <linux/sched.h>

#include "source.h"

/*
 * If @counter's task is not running, count the time since it stopped. Some counters
 * have nothing to add before the task runs again: counters of a CPU; counters that only
 * count long times; and counters that are bound to a CPU or grouped with a counter that
 * must be loaded, because whether they count depends on the CPU on which the task will
 * run.
 */
static void off_cpu_read(struct perf_counter *counter)
{
	struct perf_counter_ctx *ctx = READ_ONCE(counter->ctx);
	const struct perf_counter_task *state;
	struct task_struct *task;
	u64 now, since;

	if (!ctx || READ_ONCE(ctx->live_cpu) != CTX_STOPPED || !counter->group_enabled)
		return;
	task = ctx->task;
	/*
	 * An event reads the counter during the switch away from the task: no time has passed yet.
	 */
	if (!task || task == current)
		return;
	lockdep_assert_held(&ctx->lock);
	if ((counter->filter & ~FILTER_IDLE) || counter->desc->attr.config1 ||
	    (counter->desc->attr.exclude_kernel && !perf_counter_has_user_mode(task)))
		return;
	/* A task has its state as long as it has a context. */
	state = perf_counter_task_state(task);
	now = perf_counter_clock();
	since = max(READ_ONCE(state->off_cpu.since), counter->off_counted);
	local64_add(perf_counter_since(now, since), &counter->count);
	counter->off_counted = max(now, counter->off_counted);
}

static void off_cpu_enabled_changed(struct perf_counter *counter, bool on)
{
	if (!on) {
		off_cpu_read(counter);
		return;
	}
	counter->off_from = perf_counter_clock();
	counter->off_counted = counter->off_from;
}

/* Off-CPU time belongs neither to user mode nor to the kernel: drop the mode filters. */
static void off_cpu_counter_init(struct perf_counter *counter)
{
	counter->wants_enable_cb = true;
	counter->filter &= ~(FILTER_USER | FILTER_KERNEL);
}

static int off_cpu_event_init(const struct perf_counter_pmu *pmu, struct perf_counter_desc *desc)
{
	int err = perf_counter_sw_attr_check(&desc->attr);

	if (err)
		return err;
	if (desc->attr.config != PERF_COUNT_SW_OFF_CPU)
		return -ENOENT;
	/*
	 * Refuse frequencies: they are per second of running time, but this event counts time off
	 * the CPU.
	 */
	if (desc->attr.freq)
		return -EINVAL;
	desc->event = PERF_COUNTER_SW_OFF_CPU;
	/*
	 * exclude_user and exclude_kernel only remove call chain entries of that mode from
	 * samples.
	 */
	desc->attr.exclude_callchain_user |= desc->attr.exclude_user;
	desc->attr.exclude_callchain_kernel |= desc->attr.exclude_kernel;
	return 0;
}

static struct perf_counter_pmu off_cpu_pmu = {
	.types			= BIT(PERF_TYPE_SOFTWARE),
	.event_init		= off_cpu_event_init,
	.counter_init		= off_cpu_counter_init,
	.read			= off_cpu_read,
	.enabled_changed	= off_cpu_enabled_changed,
};

static int __init off_cpu_init(void)
{
	return perf_counter_register_pmu(&off_cpu_pmu);
}
core_initcall(off_cpu_init);
