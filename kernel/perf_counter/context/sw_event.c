// SPDX-License-Identifier: GPL-2.0
/*
 * Software events: an event finds its counters by its number, in the context of the current task
 * and in the context of this CPU.
 */

#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

#include "internal.h"

/*
 * Adapt the period to the frequency. If events have become rare, the rest of a long period is cut
 * to the new period. Returns the number of events until the next sample.
 */
static s64 sw_freq_adapt(struct perf_counter *counter)
{
	s64 left = local64_read(&counter->sampling.period_left);
	s64 period;

	perf_counter_freq_adapt(counter, local64_read(&counter->count));
	period = counter->sampling.period;
	if (left <= period)
		return left;
	return local64_sub_return(left - period, &counter->sampling.period_left);
}

/*
 * Subtract @nr from the rest of the period, and adapt the period to the frequency if there is one.
 * Returns the number of events until the next sample; a sample is due at 0 or below.
 */
static __always_inline s64 take_from_period(struct perf_counter *counter, u64 nr)
{
	s64 left = local64_sub_return(nr, &counter->sampling.period_left);

	if (unlikely(counter->desc->attr.freq) &&
	    (left <= 0 ||
	     perf_counter_run_time(counter) - counter->sampling.freq_stamp > TICK_NSEC))
		left = sw_freq_adapt(counter);
	return left;
}

/* Subtract @nr from the period of a sampling counter, and take the samples that are due. */
static void sw_sample(struct perf_counter *counter, u64 nr, struct pt_regs *regs, u64 addr,
		      unsigned long ip)
{
	u64 period = READ_ONCE(counter->sampling.period);
	struct perf_counter_sample sample = {
		.regs = regs, .addr = addr, .period = period, .ip = ip,
	};
	s64 left;

	/* With period 1 every event is a sample, and period_left stays 1. */
	if (likely(period == 1) && likely(!counter->desc->attr.freq)) {
		while (nr-- && !perf_counter_overflow(counter, &sample))
			;
		return;
	}

	left = take_from_period(counter, nr);
	if (left > 0)
		return;

	do {
		left = local64_add_return(period, &counter->sampling.period_left);
		if (perf_counter_overflow(counter, &sample))
			break;
	} while (left <= 0);
}

/**
 * perf_counter_period_over() - Subtract an event from the period of a counter
 * @counter: a sampling counter
 * @nr: amount that the event has counted for
 *
 * For events that give at most one sample each, even if they use up several periods.
 *
 * Context: any; preemption disabled.
 * Return: sum of the periods that were used up, which is the period of the sample; 0 when no sample
 * is due.
 */
u64 perf_counter_period_over(struct perf_counter *counter, u64 nr)
{
	u64 period = READ_ONCE(counter->sampling.period);
	s64 left;

	/* With period 1 every event is a sample, see sw_sample(). */
	if (likely(period == 1) && likely(!counter->desc->attr.freq))
		return nr;
	left = take_from_period(counter, nr);
	if (left > 0)
		return 0;
	/* Read the period again: take_from_period() may have adapted it to the frequency. */
	period = READ_ONCE(counter->sampling.period);
	if (unlikely(left < 0))
		period *= div64_u64(-left, period) + 1;
	local64_add(period, &counter->sampling.period_left);
	return period;
}

static void sw_count(struct perf_counter *counter, u64 nr, struct pt_regs *regs, u64 addr,
		     unsigned long ip)
{
	/* Pairs with the release in perf_counter_state_on(), after its time stamp. */
	if (!smp_load_acquire(&counter->group_enabled))
		return;
	if (unlikely(counter->filter) && perf_counter_filtered(counter, regs))
		return;
	local64_add(nr, &counter->count);
	if (counter->sampling.period)
		sw_sample(counter, nr, regs, addr, ip);
}

/*
 * Count an event for the remaining counters: those from @of_task and from @of_cpu on, where
 * sw_count_plain() has stopped, and those of the control groups that the current task is in.
 */
static noinline void sw_count_rest(struct perf_counter *of_task, struct perf_counter *of_cpu,
				   u32 id, u64 nr, struct pt_regs *regs, u64 addr, unsigned long ip)
{
	unsigned long levels = perf_counter_cgroup_levels();
	struct perf_counter *counter = of_task;
	struct perf_counter_ctx *ctx;

	for (;;) {
		hlist_for_each_entry_from_rcu(counter, event_node)
			sw_count(counter, nr, regs, addr, ip);
		if (of_cpu) {
			counter = of_cpu;
			of_cpu = NULL;
			continue;
		}
		ctx = perf_counter_next_cgroup(&levels);
		if (!ctx)
			return;
		counter = hlist_entry_safe(rcu_dereference_raw(hlist_first_rcu(&ctx->sw[id])),
					   struct perf_counter, event_node);
	}
}

/* Count for counters without filter and period. Return the first counter with one, or NULL. */
static __always_inline struct perf_counter *sw_count_plain(struct perf_counter_ctx *ctx, u32 id,
							   u64 nr)
{
	struct perf_counter *counter;

	hlist_for_each_entry_rcu(counter, &ctx->sw[id], event_node) {
		if (unlikely(READ_ONCE(counter->filter) || READ_ONCE(counter->sampling.period)))
			break;
		/* Pairs with the release in perf_counter_state_on(), after its time stamp. */
		if (smp_load_acquire(&counter->group_enabled))
			local64_add(nr, &counter->count);
	}
	return counter;
}

/*
 * Count a software event. Counters that only count are handled inline: without a call of a
 * function, no registers have to be saved.
 */
static __always_inline void sw_event(u32 id, u64 nr, struct pt_regs *regs, u64 addr,
				     unsigned long ip)
{
	struct perf_counter *of_task = NULL, *of_cpu;
	struct perf_counter_ctx *ctx;

	preempt_disable_notrace();
	ctx = perf_counter_task_ctx(current);
	if (ctx)
		of_task = sw_count_plain(ctx, id, nr);
	of_cpu = sw_count_plain(this_cpu_ptr(&perf_counter_cpu_ctx), id, nr);
	if (unlikely(of_task || of_cpu) || perf_counter_cgroups_watched())
		sw_count_rest(of_task, of_cpu, id, nr, regs, addr, ip);
	preempt_enable_notrace();
}

/**
 * __perf_counter_sw_event() - Count a software event
 * @id: PERF_COUNT_SW_*, below PERF_COUNTER_SW_EVENTS
 * @nr: number of events
 * @regs: registers of the interrupted code
 * @addr: data address of the event; 0: none
 *
 * Context: any.
 */
void __perf_counter_sw_event(u32 id, u64 nr, struct pt_regs *regs, u64 addr)
{
	sw_event(id, nr, regs, addr, 0);
}

/**
 * perf_counter_sw_event_here() - Count a software event without registers
 * @id: PERF_COUNT_SW_*, below PERF_COUNTER_SW_EVENTS
 * @ip: address of the kernel code that the event is attributed to
 *
 * Context: any.
 */
void perf_counter_sw_event_here(u32 id, unsigned long ip)
{
	sw_event(id, 1, &perf_counter_no_regs, 0, ip);
}
