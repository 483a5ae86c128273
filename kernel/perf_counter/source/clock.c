// SPDX-License-Identifier: GPL-2.0
/*
 * Clocks: they count the time that their counter has been running. One that samples has
 * an hrtimer, which goes off on the CPU where its context runs. Whether a sample is due is
 * said by the counter's time alone: the timer's clock is another one, and is read a little
 * later, or much later when an emulated CPU is held up in between.
 */

#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/math64.h>

#include <asm/irq_regs.h>

#include "source.h"

/* A timer that goes off more often than this, ns, does nothing else. */
#define CLOCK_PERIOD_MIN	10000

static u64 clock_period(struct perf_counter *counter)
{
	return max_t(u64, READ_ONCE(counter->period), CLOCK_PERIOD_MIN);
}

/* The timer goes off when the counter, which has run for @run ns, is due; it is @now. */
static void timer_set(struct hrtimer *timer, u64 now, u64 run)
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
	struct perf_counter_sample sample = { .period = period };

	/* Stopped from another CPU, which could not cancel it just then. */
	if (!READ_ONCE(counter->loaded))
		return HRTIMER_NORESTART;

	/* Its clock is not the counter's. */
	if (unlikely(run < counter->due)) {
		timer_set(timer, now, run);
		return HRTIMER_RESTART;
	}

	/* When the samples of a window are used up the timer rests until it is over. */
	if (unlikely(perf_counter_throttle(counter, (s64)(now - counter->window_end) >= 0,
					   now + TICK_NSEC))) {
		hrtimer_set_expires(timer, ns_to_ktime(counter->window_end));
		return HRTIMER_RESTART;
	}

	/* What has been missed is not made up for. */
	if (unlikely(run - counter->due >= period))
		counter->due += div64_u64(run - counter->due, period) * period;
	counter->due += period;
	timer_set(timer, now, run);
	if (regs && !(counter->filter && perf_counter_filtered(counter, regs)) &&
	    perf_counter_overflow(counter, &sample, regs))
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

/* A clock whose count is all there is to it has no timer. */
static int clock_add(struct perf_counter *counter)
{
	u64 period = clock_period(counter);
	s64 left;

	if (!counter->period)
		return 0;
	/* At 0 or below one became due while the context stopped: it goes off at once. */
	left = min_t(s64, local64_read(&counter->period_left), period);
	counter->due = counter->time_running + left;
	/* The counter has been running a little already. */
	left -= perf_counter_since(perf_counter_event_time(counter), counter->run_stamp);
	hrtimer_start(&counter->timer, ns_to_ktime(max_t(s64, left, 0)),
		      HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

static void clock_del(struct perf_counter *counter, u64 now)
{
	if (!counter->period)
		return;
	/* What is left of the period goes on when the context runs again. */
	local64_set(&counter->period_left,
		    counter->due - perf_counter_time_running(counter, now));
	/*
	 * The handler cannot be running: it runs on this CPU, whose IRQs are
	 * off. Unless a limit was used up, which stops counters from anywhere;
	 * clock_counter_exit() waits for it then.
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

/* Time, on the CPU clock and the task clock alike: how long a counter ran. */
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
