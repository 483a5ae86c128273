// SPDX-License-Identifier: GPL-2.0
/*
 * Clock events: a clock counts the time for which its counter has been running. A
 * sampling clock has an hrtimer, which expires on the CPU where the counter's context
 * runs. Only the counter's running time decides whether a sample is due: the hrtimer
 * uses another clock, which is read a little later, or much later where an emulated CPU
 * is held up between the two reads.
 */

#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/math64.h>

#include <asm/irq_regs.h>

#include "source.h"

/* Shortest period in ns: with a shorter one, the CPU would do little but handle the timer. */
#define CLOCK_PERIOD_MIN	10000

static u64 clock_period(struct perf_counter *counter)
{
	return max_t(u64, READ_ONCE(counter->sampling.period), CLOCK_PERIOD_MIN);
}

/*
 * Set @timer to expire when its counter is due. @now is the timer's time, @run the
 * counter's running time, both in ns.
 */
static void clock_timer_set(struct hrtimer *timer, u64 now, u64 run)
{
	struct perf_counter *counter = container_of(timer, struct perf_counter, timer);

	hrtimer_set_expires(timer, ns_to_ktime(now + (counter->due - run)));
}

static enum hrtimer_restart clock_sample(struct hrtimer *timer)
{
	struct perf_counter *counter = container_of(timer, struct perf_counter, timer);
	u64 period = clock_period(counter);
	u64 now = ktime_to_ns(hrtimer_cb_get_time(timer));
	u64 run = perf_counter_run_time(counter);
	struct pt_regs *regs = get_irq_regs();
	struct perf_counter_sample sample = { .regs = regs, .period = period };

	/*
	 * Another CPU has stopped the counter, and could not cancel the timer while it
	 * expired.
	 */
	if (!READ_ONCE(counter->loaded))
		return HRTIMER_NORESTART;

	/* The timer has expired too early, because its clock is ahead of the counter's. */
	if (unlikely(run < counter->due)) {
		clock_timer_set(timer, now, run);
		return HRTIMER_RESTART;
	}

	/* If the samples of the throttle window are used up, pause until the window ends. */
	if (unlikely(perf_counter_throttle(counter, (s64)(now - counter->throttle.window_end) >= 0,
					   now + TICK_NSEC))) {
		hrtimer_set_expires(timer, ns_to_ktime(counter->throttle.window_end));
		return HRTIMER_RESTART;
	}

	/* Skip missed periods. */
	if (unlikely(run - counter->due >= period))
		counter->due += div64_u64(run - counter->due, period) * period;
	counter->due += period;
	clock_timer_set(timer, now, run);
	if (regs && !(counter->filter && perf_counter_filtered(counter, regs)) &&
	    perf_counter_overflow(counter, &sample))
		return HRTIMER_NORESTART;

	return READ_ONCE(counter->loaded) ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

static enum hrtimer_restart clock_fire(struct hrtimer *timer)
{
	u32 began = perf_counter_sampling_begins();
	enum hrtimer_restart restart = clock_sample(timer);

	perf_counter_sampling_ends(began);
	return restart;
}

/* Start the timer of a sampling clock. A clock without a period needs no timer. */
static int clock_add(struct perf_counter *counter)
{
	u64 period = clock_period(counter);
	s64 left;

	if (!counter->sampling.period)
		return 0;
	/* If @left is 0 or less, a sample became due while the context stopped: expire at once. */
	left = min_t(s64, local64_read(&counter->sampling.period_left), period);
	counter->due = counter->times.running + left;
	/* The counter has been running since @run_stamp. */
	left -= perf_counter_since(perf_counter_event_time(counter), counter->times.run_stamp);
	hrtimer_start(&counter->timer, ns_to_ktime(max_t(s64, left, 0)),
		      HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

static void clock_del(struct perf_counter *counter, u64 now)
{
	if (!counter->sampling.period)
		return;
	/* Keep the rest of the period for when the context runs again. */
	local64_set(&counter->sampling.period_left,
		    counter->due - perf_counter_time_running(counter, now));
	/*
	 * The timer's handler runs on this CPU, where IRQs are off, so it is not running now.
	 * There is one exception: if a limit is used up, any CPU may stop the counter;
	 * clock_counter_exit() waits for the handler then.
	 */
	hrtimer_try_to_cancel(&counter->timer);
}

static void clock_read(struct perf_counter *counter)
{
	local64_set(&counter->count,
		    perf_counter_time_running(counter, perf_counter_event_time(counter)));
}

static void clock_counter_init(struct perf_counter *counter)
{
	hrtimer_init(&counter->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	counter->timer.function = clock_fire;
}

static void clock_counter_exit(struct perf_counter *counter)
{
	hrtimer_cancel(&counter->timer);
}

static int clock_event_init(const struct perf_counter_pmu *pmu, struct perf_counter_desc *desc)
{
	int err = perf_counter_sw_attr_check(&desc->attr);

	if (err)
		return err;
	if (!perf_counter_attr_is_clock(&desc->attr))
		return -ENOENT;
	desc->event = -1;
	desc->needs_load |= !!desc->attr.sample_period;
	return 0;
}

/* The CPU clock and the task clock; both count the time for which the counter ran. */
struct perf_counter_pmu perf_counter_clock_pmu = {
	.types		= BIT(PERF_TYPE_SOFTWARE),
	.event_init	= clock_event_init,
	.counter_init	= clock_counter_init,
	.counter_exit	= clock_counter_exit,
	.add		= clock_add,
	.del		= clock_del,
	.read		= clock_read,
};

static int __init clock_init(void)
{
	return perf_counter_register_pmu(&perf_counter_clock_pmu);
}
core_initcall(clock_init);
