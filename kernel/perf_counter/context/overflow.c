// SPDX-License-Identifier: GPL-2.0
/*
 * When a counter has overflowed: limits, frequencies and the rate limit of
 * perf_counter, for software events, clocks and the PMU alike.
 */

#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/math64.h>

#include "perf_counter.h"

/**
 * perf_counter_overflow_limited() - a sample is due, of a counter under a limit
 * @counter: whose; REFRESH has set the limit
 * @event: the event
 * @regs: its registers
 *
 * Context: as perf_counter_overflow().
 * Return: true when the limit is used up.
 */
noinline bool perf_counter_overflow_limited(struct perf_counter *counter,
					    const struct perf_counter_event *event,
					    struct pt_regs *regs)
{
	struct perf_counter_desc *desc = counter->desc;
	int left;

	atomic_inc(&desc->limited);
	left = atomic_dec_if_positive(&desc->limit);
	if (left >= 0)
		perf_counter_output_sample(counter, event, regs);
	/* Several CPUs may be at it: it is over when the last record is written. */
	if (atomic_dec_and_test(&desc->limited) && !atomic_read(&desc->limit)) {
		if (atomic_cmpxchg(&desc->hangup, NO_HANGUP, HANGUP) == NO_HANGUP)
			irq_work_queue(&desc->work);
	} else if (left >= 0 && READ_ONCE(desc->fasync)) {
		irq_work_queue(&desc->work);
	}
	return left <= 0;
}

/**
 * perf_counter_freq_adapt() - choose the period that gives the frequency
 * @counter: a counter with a frequency
 * @count: its events so far
 *
 * The choice is the period that would have given sample_freq samples per second
 * in which the counter ran, since the last one. At most eight times the old
 * period, because a single burst says little.
 *
 * Context: an event or an overflow of the counter; or where it cannot have one.
 */
void perf_counter_freq_adapt(struct perf_counter *counter, u64 count)
{
	u64 now = perf_counter_run_time(counter);
	s64 elapsed = now - counter->freq_stamp;
	/* The product below stays within 64 bits: per_sample is below 2^30. */
	u64 events = min_t(u64, count - counter->freq_count, U32_MAX);
	u64 per_sample = div64_u64(NSEC_PER_SEC, counter->desc->attr.sample_freq);
	u64 period;

	if (elapsed <= 0 || !events)
		return;
	period = div64_u64(events * per_sample, elapsed);
	period = clamp_t(u64, period, 1, counter->period * 8);

	counter->freq_stamp = now;
	counter->freq_count = count;
	WRITE_ONCE(counter->period, period);
}

/**
 * perf_counter_throttle_slow() - a throttle window is over, or used up
 * @counter: as of perf_counter_throttle()
 * @over: likewise
 * @window_end: likewise
 *
 * Context: as perf_counter_throttle().
 * Return: likewise.
 */
bool perf_counter_throttle_slow(struct perf_counter *counter, bool over, u64 window_end)
{
	if (over) {
		counter->window_end = window_end;
		counter->window_samples = 0;
		if (counter->throttled) {
			counter->throttled = false;
			perf_counter_output_throttle(counter, false);
		}
	}
	if (counter->window_samples < READ_ONCE(perf_counter_max_samples_per_tick)) {
		counter->window_samples++;
		return false;
	}
	/* Already so when the context has moved to another CPU meanwhile. */
	if (!counter->throttled) {
		counter->throttled = true;
		perf_counter_output_throttle(counter, true);
	}
	return true;
}
