// SPDX-License-Identifier: GPL-2.0
/*
 * When a counter has overflowed: limits, frequencies and the rate limit of
 * perf_counter, for software events, clocks and the PMU alike.
 */

#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/sysctl.h>

#include "context.h"

/* Samples per second and counter. */
int sysctl_perf_counter_max_sample_rate __read_mostly = 100000;
unsigned int perf_counter_max_samples_per_tick __read_mostly = DIV_ROUND_UP(100000, HZ);

static int max_sample_rate_handler(const struct ctl_table *table, int write, void *buffer,
				   size_t *lenp, loff_t *ppos)
{
	int err = proc_dointvec_minmax(table, write, buffer, lenp, ppos);

	if (!err && write)
		WRITE_ONCE(perf_counter_max_samples_per_tick,
			   DIV_ROUND_UP(sysctl_perf_counter_max_sample_rate, HZ));
	return err;
}

/**
 * perf_counter_replace_max_sample_rate() - limit the samples per second
 * @from: the limit that is to be replaced
 * @to: what by
 *
 * Context: any.
 * Return: false when it was another one, and still is.
 */
bool perf_counter_replace_max_sample_rate(int from, int to)
{
	if (cmpxchg(&sysctl_perf_counter_max_sample_rate, from, to) != from)
		return false;
	WRITE_ONCE(perf_counter_max_samples_per_tick, DIV_ROUND_UP(to, HZ));
	return true;
}

/* One per ns. */
static const int sample_rate_max = NSEC_PER_SEC;

static struct ctl_table overflow_sysctls[] = {
	{
		.procname	= "perf_counter_max_sample_rate",
		.data		= &sysctl_perf_counter_max_sample_rate,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= max_sample_rate_handler,
		.extra1		= SYSCTL_ONE,
		.extra2		= (void *)&sample_rate_max,
	},
};

static int __init overflow_init(void)
{
	register_sysctl_init("kernel", overflow_sysctls);
	return 0;
}
fs_initcall(overflow_init);

/**
 * perf_counter_overflow_limited() - a sample is due, of a counter under a limit
 * @counter: whose; REFRESH has set the limit, or it is the kernel's own
 * @sample: what is known of the event
 * @regs: its registers
 *
 * Context: as perf_counter_overflow().
 * Return: true when the limit is used up.
 */
noinline bool perf_counter_overflow_limited(struct perf_counter *counter,
					    const struct perf_counter_sample *sample,
					    struct pt_regs *regs)
{
	struct perf_counter_desc *desc = counter->desc;
	int left;

	if (desc->overflow) {
		/* The rate limit is for what programs ask for. */
		counter->window_samples = 0;
		desc->overflow(desc, sample, regs);
		return false;
	}
	atomic_inc(&desc->limited);
	left = atomic_dec_if_positive(&desc->limit);
	if (left >= 0)
		perf_counter_output_sample(counter, sample, regs);
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
		perf_counter_budget_look();
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
