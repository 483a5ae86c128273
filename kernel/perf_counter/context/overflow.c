// SPDX-License-Identifier: GPL-2.0
/*
 * The rare parts of an overflow: limits, new periods in frequency mode, throttling.
 */

#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/math64.h>

#include "overflow.h"

/**
 * perf_counter_overflow_refresh() - Take a sample of a counter under a limit
 * @counter: a counter with a limit that REFRESH has set, or a counter of the kernel
 * @sample: the event
 *
 * Context: any, NMI included; preemption disabled.
 * Return: true when the limit is used up.
 */
noinline bool perf_counter_overflow_refresh(struct perf_counter *counter,
					    const struct perf_counter_sample *sample)
{
	struct perf_counter_desc *desc = counter->desc;
	int left;

	if (desc->overflow) {
		/* The rate limit does not apply to counters of the kernel. */
		counter->throttle.samples = 0;
		desc->overflow(desc, sample, sample->regs);
		return false;
	}
	atomic_inc(&desc->refresh.in_flight);
	left = atomic_dec_if_positive(&desc->refresh.limit);
	if (left >= 0)
		perf_counter_output_sample(counter, sample);
	/* Several CPUs may be writing records: the last one to finish ends the limit. */
	if (atomic_dec_and_test(&desc->refresh.in_flight) && !atomic_read(&desc->refresh.limit)) {
		if (atomic_cmpxchg(&desc->refresh.hangup, NO_HANGUP, HANGUP) == NO_HANGUP)
			irq_work_queue(&desc->work);
	} else if (left >= 0 && READ_ONCE(desc->fasync)) {
		irq_work_queue(&desc->work);
	}
	return left <= 0;
}

/**
 * perf_counter_freq_adapt() - Choose the period that gives the frequency
 * @counter: a counter with a frequency
 * @count: events of the counter so far
 *
 * The new period would have given sample_freq samples per second of running time since the period
 * was last chosen. It is at most eight times the old period, to limit the effect of one burst.
 *
 * Context: an event or overflow of the counter, or any context in which neither can happen.
 */
void perf_counter_freq_adapt(struct perf_counter *counter, u64 count)
{
	u64 now = perf_counter_run_time(counter);
	s64 elapsed = now - counter->sampling.freq_stamp;
	/* The product below stays within 64 bits: per_sample is below 2^30. */
	u64 events = min_t(u64, count - counter->sampling.freq_count, U32_MAX);
	u64 per_sample = div64_u64(NSEC_PER_SEC, counter->desc->attr.sample_freq);
	u64 period;

	if (elapsed <= 0 || !events)
		return;
	period = div64_u64(events * per_sample, elapsed);
	period = clamp_t(u64, period, 1, counter->sampling.period * 8);

	counter->sampling.freq_stamp = now;
	counter->sampling.freq_count = count;
	WRITE_ONCE(counter->sampling.period, period);
}

/**
 * perf_counter_throttle_slow() - Begin a throttle window, or throttle the counter
 * @counter: a counter with a sample due
 * @over: flag: the counter's throttle window has ended
 * @window_end: end of the next window, if @over; in the unit of counter->throttle.window_end
 *
 * Context: any, NMI included; preemption disabled.
 * Return: true when the counter may have no more samples in this window.
 */
bool perf_counter_throttle_slow(struct perf_counter *counter, bool over, u64 window_end)
{
	if (over) {
		counter->throttle.window_end = window_end;
		counter->throttle.samples = 0;
		perf_counter_budget_look();
		if (counter->throttle.throttled) {
			counter->throttle.throttled = false;
			perf_counter_output_throttle(counter, false);
		}
	}
	if (counter->throttle.samples < READ_ONCE(perf_counter_max_samples_per_tick)) {
		counter->throttle.samples++;
		return false;
	}
	/* The counter may be throttled already, if its context has moved to another CPU. */
	if (!counter->throttle.throttled) {
		counter->throttle.throttled = true;
		perf_counter_output_throttle(counter, true);
	}
	return true;
}
