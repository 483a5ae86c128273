/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Handling of samples that are due, for all sources: limits, frequencies and rate limits.
 */
#ifndef _PERF_COUNTER_CONTEXT_OVERFLOW_H
#define _PERF_COUNTER_CONTEXT_OVERFLOW_H

#include <linux/irq_work.h>

#include "../counter/desc.h"
#include "../counter/time.h"
#include "../record/record.h"

/* rate.c */
extern unsigned int perf_counter_max_samples_per_tick;
extern int sysctl_perf_counter_max_sample_rate;
bool perf_counter_replace_max_sample_rate(int from, int to);

/* cpu_time.c */
bool perf_counter_budget_is_spent(void);
void perf_counter_budget_look(void);

/* overflow.c */
bool perf_counter_overflow_refresh(struct perf_counter *counter,
				   const struct perf_counter_sample *sample);
void perf_counter_freq_adapt(struct perf_counter *counter, u64 count);
bool perf_counter_throttle_slow(struct perf_counter *counter, bool over, u64 window_end);

/**
 * perf_counter_overflow() - Take a sample that is due
 * @counter: the counter
 * @sample: the event
 *
 * Work that cannot be done in the context of the event is left to an irq_work: sending a signal,
 * and disabling the counters at the limit.
 *
 * Context: any, NMI included; preemption disabled.
 * Return: true when no further sample is wanted, because the limit that REFRESH set is used up.
 */
static __always_inline bool perf_counter_overflow(struct perf_counter *counter,
						  const struct perf_counter_sample *sample)
{
	struct perf_counter_desc *desc = counter->desc;

	if (unlikely(atomic_read(&desc->refresh.limit) >= 0))
		return perf_counter_overflow_refresh(counter, sample);
	perf_counter_output_sample(counter, sample);
	if (unlikely(READ_ONCE(desc->fasync)))
		irq_work_queue(&desc->work);
	return false;
}

/**
 * perf_counter_throttle() - Keep a counter to the rate limit
 * @counter: a counter with a sample due
 * @over: the counter's throttle window has ended
 * @window_end: end of the next window, if @over; in the unit of counter->throttle.window_end
 *
 * Writes THROTTLE and UNTHROTTLE records.
 *
 * Context: any, NMI included; preemption disabled.
 * Return: true when the counter may have no more samples in this window.
 */
static __always_inline bool perf_counter_throttle(struct perf_counter *counter, bool over,
						  u64 window_end)
{
	if (unlikely(over || counter->throttle.samples >=
			     READ_ONCE(perf_counter_max_samples_per_tick)))
		return perf_counter_throttle_slow(counter, over, window_end);
	counter->throttle.samples++;
	return false;
}

#endif /* _PERF_COUNTER_CONTEXT_OVERFLOW_H */
