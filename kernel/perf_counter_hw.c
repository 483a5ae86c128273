// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of the PMU: between the contexts of perf_counter and the backend
 * that drives the hardware.
 *
 * A counter that samples has its slot overflow at the event that is due for a
 * sample. What is left of a period when the counter is unloaded is there again
 * when it is loaded; an event that was due meanwhile is due at once.
 */

#include <linux/jiffies.h>
#include <linux/ptrace.h>
#include <linux/reboot.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>
#include <linux/suspend.h>

#include "perf_counter.h"

/* Drives the PMU of this machine; NULL when there is none. */
const struct perf_counter_backend *perf_counter_backend;

/* The machine sleeps or goes down: no counter of the PMU is loaded. */
bool perf_counter_hw_halted;

/* Guards hw_users, and what claim and release do. */
static DEFINE_MUTEX(hw_mutex);
static unsigned int hw_users;

/**
 * perf_counter_register_backend() - there is a PMU
 * @backend: drives it; stays for good
 *
 * Context: an initcall, before there are programs.
 */
void perf_counter_register_backend(const struct perf_counter_backend *backend)
{
	perf_counter_backend = backend;
}

/* === Opening and closing === */

static int hw_claim(void)
{
	int err = 0;

	mutex_lock(&hw_mutex);
	if (!hw_users)
		err = perf_counter_backend->claim();
	if (!err)
		hw_users++;
	mutex_unlock(&hw_mutex);
	return err;
}

static void hw_event_exit(struct perf_counter_desc *desc)
{
	mutex_lock(&hw_mutex);
	if (!--hw_users)
		perf_counter_backend->release();
	mutex_unlock(&hw_mutex);
}

/**
 * perf_counter_hw_busy() - somebody else wanted the PMU, and has not got it
 *
 * Says in the log who has it, if we do.
 *
 * Context: may sleep.
 */
void perf_counter_hw_busy(void)
{
	if (READ_ONCE(hw_users))
		pr_info_ratelimited("perf_counter: perf_counter holds the PMU; close its counters\n");
}

static int hw_event_init(struct perf_counter_desc *desc)
{
	const struct perf_counter_attr *attr = &desc->attr;
	struct perf_counter_hw *hw = &desc->first.hw;
	int err;

	if (attr->type != PERF_TYPE_HARDWARE && attr->type != PERF_TYPE_HW_CACHE &&
	    attr->type != PERF_TYPE_RAW)
		return -ENOENT;
	if (!perf_counter_backend)
		return -ENOENT;
	if (attr->bp_type || attr->config1 || attr->config2 || attr->config3)
		return -EINVAL;
	/* A CPU's counter goes on in the idle task; a task's is not there. */
	if (attr->precise_ip || (attr->exclude_idle && !desc->task))
		return -EOPNOTSUPP;

	hw->slot = -1;
	err = perf_counter_backend->event_init(attr, hw);
	if (!err)
		err = hw_claim();
	/* -ENOENT has others tried; no other PMU counts this. */
	if (err)
		return err;
	desc->event = -1;
	desc->load = true;
	return 0;
}

/* The others count what the first one does. */
static void hw_counter_init(struct perf_counter *counter)
{
	const struct perf_counter_hw *first = &counter->desc->first.hw;
	struct perf_counter_hw *hw = &counter->hw;

	if (hw != first)
		*hw = (struct perf_counter_hw) {
			.config = first->config, .slots = first->slots, .slot = -1,
		};
}

/* === While the machine sleeps, or starts another kernel, the PMU is stopped === */

static void hw_pause_here(void *unused)
{
	perf_counter_hw_pause();
}

static void hw_resume_here(void *unused)
{
	perf_counter_hw_resume();
}

static int hw_reboot(struct notifier_block *block, unsigned long action, void *data)
{
	WRITE_ONCE(perf_counter_hw_halted, true);
	if (perf_counter_backend)
		on_each_cpu(hw_pause_here, NULL, 1);
	return NOTIFY_DONE;
}

static int hw_sleep(struct notifier_block *block, unsigned long action, void *data)
{
	if (action == PM_SUSPEND_PREPARE || action == PM_HIBERNATION_PREPARE)
		return hw_reboot(block, action, data);
	if (action == PM_POST_SUSPEND || action == PM_POST_HIBERNATION) {
		WRITE_ONCE(perf_counter_hw_halted, false);
		if (perf_counter_backend)
			on_each_cpu(hw_resume_here, NULL, 1);
	}
	return NOTIFY_DONE;
}

static struct notifier_block hw_reboot_notifier = { .notifier_call = hw_reboot };

static int __init hw_init(void)
{
	pm_notifier(hw_sleep, 0);
	return register_reboot_notifier(&hw_reboot_notifier);
}
core_initcall(hw_init);

/* === Counting === */

static int hw_add(struct perf_counter *counter)
{
	struct perf_counter_hw *hw = &counter->hw;

	if (unlikely(READ_ONCE(perf_counter_hw_halted)))
		return -ESHUTDOWN;
	hw->count = local64_read(&counter->count);
	hw->next = 0;
	/* Of one that is overdue, when it was due. */
	if (counter->period)
		hw->next = hw->count + local64_read(&counter->period_left) ?: 1;
	return perf_counter_backend->add(hw);
}

static void hw_del(struct perf_counter *counter)
{
	struct perf_counter_hw *hw = &counter->hw;

	perf_counter_backend->del(hw);
	local64_set(&counter->count, hw->count);
	if (hw->next)
		local64_set(&counter->period_left, hw->next - hw->count);
}

static void hw_read(struct perf_counter *counter)
{
	if (counter->is_loaded)
		local64_set(&counter->count, perf_counter_backend->read(&counter->hw));
}

/* The counters of the PMU. */
const struct perf_counter_pmu perf_counter_hw_pmu = {
	.event_init	= hw_event_init,
	.event_exit	= hw_event_exit,
	.counter_init	= hw_counter_init,
	.add		= hw_add,
	.del		= hw_del,
	.read		= hw_read,
};

/* === Overflow === */

/**
 * perf_counter_hw_overflow() - a slot has overflowed
 * @hw: of the counter that has it; @hw->count is up to date, and @hw->next will be
 * @regs: where
 *
 * Context: NMI of the CPU.
 * Return: true when the counter is not to go on: it is throttled, or the limit
 * that REFRESH set is used up.
 */
bool perf_counter_hw_overflow(struct perf_counter_hw *hw, struct pt_regs *regs)
{
	struct perf_counter *counter = container_of(hw, struct perf_counter, hw);
	u64 period = READ_ONCE(counter->period);
	struct perf_counter_event event = { .period = period };
	unsigned long window = READ_ONCE(jiffies);

	/* The slot goes on, and so does what programs make of it; but not for ever. */
	if (!hw->next) {
		counter->rewind = true;
		perf_counter_sched_tick_start();
		return false;
	}
	/* A slot may be too narrow for what is left of the period. */
	if ((s64)(hw->count - hw->next) < 0)
		return false;
	if (unlikely(perf_counter_throttle(counter, counter->window_end != window, window))) {
		perf_counter_sched_tick_start();
		return true;
	}
	if (unlikely(counter->desc->attr.freq)) {
		perf_counter_freq_adapt(counter, hw->count);
		period = counter->period;
	}
	hw->next += period;
	/* It was over before the NMI came. */
	if (unlikely((s64)(hw->next - hw->count) <= 0))
		hw->next = hw->count + period;

	/* What happened in user mode is said of user mode, however late the NMI came. */
	if (unlikely(counter->desc->attr.exclude_kernel && !user_mode(regs))) {
		if (!current->mm)
			return false;
		regs = task_pt_regs(current);
	}
	return perf_counter_overflow(counter, &event, regs);
}

/**
 * perf_counter_hw_tick() - a tick has passed
 * @counter: a counter of the PMU that is loaded
 * @now: context time
 *
 * A counter that was throttled goes on. One whose events became rare does not
 * sit out the rest of a long period. One that only counts, and has come past 0,
 * begins at its lowest value again.
 *
 * Context: ctx->lock held, on the CPU where the context is live, between begin
 * and end.
 * Return: true when it wants to be told of the next tick, too.
 */
bool perf_counter_hw_tick(struct perf_counter *counter, u64 now)
{
	u64 period = counter->period;
	s64 left;

	if (counter->throttled || counter->rewind) {
		counter->rewind = false;
		perf_counter_unload(counter, now);
		if (counter->throttled)
			perf_counter_throttle(counter, true, jiffies);
		perf_counter_reload(counter, now);
	}
	if (!counter->desc->attr.freq)
		return false;
	if (perf_counter_running(counter, now) - counter->freq_stamp <= TICK_NSEC)
		return true;

	hw_read(counter);
	perf_counter_freq_adapt(counter, local64_read(&counter->count));
	left = counter->hw.next - local64_read(&counter->count);
	if (left <= (s64)counter->period || counter->period >= period)
		return true;
	perf_counter_unload(counter, now);
	local64_set(&counter->period_left, counter->period);
	perf_counter_reload(counter, now);
	return true;
}
