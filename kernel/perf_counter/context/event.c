// SPDX-License-Identifier: GPL-2.0
/*
 * Software counters of perf_counter: events that the kernel raises itself,
 * and clocks.
 *
 * An event finds its counters by its number: those of the current task and
 * those of this CPU. Nothing is done for them at a context switch. A clock
 * counts the time that its counter has been running; when it samples, an
 * hrtimer goes off on the CPU where its context runs.
 */

#include <linux/hardirq.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

#include <asm/irq_regs.h>

#include "perf_counter.h"

/* A timer that goes off more often than this, ns, does nothing else. */
#define CLOCK_PERIOD_MIN	10000

/* Registers that are empty are those of the kernel: no mode bit says user. */
static struct pt_regs no_regs;

/**
 * counter_filtered() - does an event not count, for what surrounds it?
 * @counter: an active counter that has a filter
 * @regs: the registers of the event
 *
 * Context: any; preemption disabled.
 * Return: true when it does not count.
 */
static bool counter_filtered(struct perf_counter *counter, struct pt_regs *regs)
{
	unsigned int filter = counter->filter;

	if ((filter & FILTER_CPU) && counter->cpu != smp_processor_id())
		return true;
	if ((filter & FILTER_UNLOADED) && !READ_ONCE(counter->is_loaded))
		return true;
	if (filter & FILTER_ALWAYS)
		return true;
	if (filter & (user_mode(regs) ? FILTER_USER : FILTER_KERNEL))
		return true;
	return (filter & FILTER_IDLE) && is_idle_task(current);
}

/* A new period; if events became rare, do not sit out a long one. Returns what is left of it. */
static s64 sw_freq_adapt(struct perf_counter *counter)
{
	s64 left = local64_read(&counter->period_left);
	s64 period;

	perf_counter_freq_adapt(counter, local64_read(&counter->count));
	period = counter->period;
	return left > period ? local64_sub_return(left - period, &counter->period_left) : left;
}

/* The sampling half of an event: take @nr from the period, sample when due. */
static void sw_sample(struct perf_counter *counter, u64 nr, struct pt_regs *regs, u64 addr,
		      unsigned long ip)
{
	u64 period = READ_ONCE(counter->period);
	struct perf_counter_event event = { .addr = addr, .period = period, .ip = ip };
	s64 left;

	/* Every event is a sample, and what is left of a period is always one. */
	if (likely(period == 1) && likely(!counter->desc->attr.freq)) {
		while (nr-- && !perf_counter_overflow(counter, &event, regs))
			;
		return;
	}

	left = local64_sub_return(nr, &counter->period_left);
	if (unlikely(counter->desc->attr.freq) &&
	    (left <= 0 || perf_counter_run_time(counter) - counter->freq_stamp > TICK_NSEC))
		left = sw_freq_adapt(counter);
	if (left > 0)
		return;

	do {
		left = local64_add_return(period, &counter->period_left);
		if (perf_counter_overflow(counter, &event, regs))
			break;
	} while (left <= 0);
}

static void sw_count(struct perf_counter *counter, u64 nr, struct pt_regs *regs, u64 addr,
		     unsigned long ip)
{
	/* Partner: the release in counter_update(), after its time stamp. */
	if (!smp_load_acquire(&counter->on))
		return;
	if (unlikely(counter->filter) && counter_filtered(counter, regs))
		return;
	local64_add(nr, &counter->count);
	if (counter->period)
		sw_sample(counter, nr, regs, addr, ip);
}

/* The counters of a task and of a CPU from those on that sw_count_plain() left. */
static noinline void sw_count_rest(struct perf_counter *of_task, struct perf_counter *of_cpu,
				   u64 nr, struct pt_regs *regs, u64 addr, unsigned long ip)
{
	struct perf_counter *counter = of_task;

	for (;;) {
		hlist_for_each_entry_from_rcu(counter, event_node)
			sw_count(counter, nr, regs, addr, ip);
		if (!of_cpu)
			return;
		counter = of_cpu;
		of_cpu = NULL;
	}
}

/* Count up to the first counter that has a filter or takes samples, and return that one. */
static __always_inline struct perf_counter *sw_count_plain(struct perf_counter_ctx *ctx, u32 id,
							   u64 nr)
{
	struct perf_counter *counter;

	hlist_for_each_entry_rcu(counter, &ctx->sw[id], event_node) {
		if (unlikely(READ_ONCE(counter->filter) || READ_ONCE(counter->period)))
			break;
		/* Partner: as in sw_count(). */
		if (smp_load_acquire(&counter->on))
			local64_add(nr, &counter->count);
	}
	return counter;
}

/* Most counters only count. What they need keeps no register, so nothing is saved. */
static __always_inline void sw_event(u32 id, u64 nr, struct pt_regs *regs, u64 addr,
				     unsigned long ip)
{
	struct perf_counter *of_task = NULL, *of_cpu;
	struct perf_counter_ctx *ctx;

	preempt_disable_notrace();
	ctx = READ_ONCE(current->perf_counter_ctx);
	if (ctx)
		of_task = sw_count_plain(ctx, id, nr);
	of_cpu = sw_count_plain(this_cpu_ptr(&perf_counter_cpu_ctx), id, nr);
	if (unlikely(of_task || of_cpu))
		sw_count_rest(of_task, of_cpu, nr, regs, addr, ip);
	preempt_enable_notrace();
}

/**
 * __perf_counter_sw_event() - count a software event
 * @id: PERF_COUNT_SW_*, below PERF_COUNTER_SW_EVENTS
 * @nr: how often it happened
 * @regs: where
 * @addr: the address it is about, 0 for none
 *
 * Context: any.
 */
void __perf_counter_sw_event(u32 id, u64 nr, struct pt_regs *regs, u64 addr)
{
	sw_event(id, nr, regs, addr, 0);
}

/**
 * perf_counter_sw_event_here() - count a software event that has no registers
 * @id: PERF_COUNT_SW_*, below PERF_COUNTER_SW_EVENTS
 * @ip: the instruction it is ascribed to, in the kernel
 *
 * Context: any.
 */
void perf_counter_sw_event_here(u32 id, unsigned long ip)
{
	sw_event(id, 1, &no_regs, 0, ip);
}

static bool attr_is_clock(const struct perf_counter_attr *attr)
{
	return attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK;
}

/* 0 for a software event or a clock; there is nothing more to say about either. */
static int sw_attr_check(const struct perf_counter_attr *attr)
{
	if (attr->type != PERF_TYPE_SOFTWARE || attr->config >= PERF_COUNTER_SW_EVENTS)
		return -ENOENT;
	if (attr->precise_ip || attr->bp_type || attr->config1 || attr->config2 || attr->config3)
		return -EINVAL;
	return 0;
}

static int sw_event_init(struct perf_counter_desc *desc)
{
	int err = sw_attr_check(&desc->attr);

	if (err)
		return err;
	if (attr_is_clock(&desc->attr))
		return -ENOENT;
	desc->event = desc->attr.config;
	return 0;
}

/* Events that the kernel raises. */
const struct perf_counter_pmu perf_counter_sw_pmu = {
	.event_init	= sw_event_init,
};

static u64 clock_period(struct perf_counter *counter)
{
	return max_t(u64, READ_ONCE(counter->period), CLOCK_PERIOD_MIN);
}

static enum hrtimer_restart clock_fire(struct hrtimer *timer)
{
	struct perf_counter *counter = container_of(timer, struct perf_counter, timer);
	u64 period = clock_period(counter);
	u64 now = ktime_to_ns(hrtimer_cb_get_time(timer));
	struct pt_regs *regs = get_irq_regs();
	struct perf_counter_event event = { .period = period };

	/* Stopped from another CPU, which could not cancel it just then. */
	if (!READ_ONCE(counter->is_loaded))
		return HRTIMER_NORESTART;

	/* When the samples of a window are used up the timer rests until it is over. */
	if (unlikely(perf_counter_throttle(counter, (s64)(now - counter->window_end) >= 0,
					   now + TICK_NSEC))) {
		hrtimer_set_expires(timer, ns_to_ktime(counter->window_end));
		return HRTIMER_RESTART;
	}
	if (regs && !(counter->filter && counter_filtered(counter, regs)) &&
	    perf_counter_overflow(counter, &event, regs))
		return HRTIMER_NORESTART;

	hrtimer_forward_now(timer, ns_to_ktime(period));
	return READ_ONCE(counter->is_loaded) ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

/* A clock whose count is all there is to it has no timer. */
static int clock_add(struct perf_counter *counter)
{
	s64 left = local64_read(&counter->period_left);

	if (!counter->period)
		return 0;
	if (left <= 0 || left > clock_period(counter))
		left = clock_period(counter);
	hrtimer_start(&counter->timer, ns_to_ktime(left), HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

static void clock_del(struct perf_counter *counter)
{
	if (!counter->period)
		return;
	/* What is left of the period goes on when the context runs again. */
	local64_set(&counter->period_left, ktime_to_ns(hrtimer_get_remaining(&counter->timer)));
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
		    perf_counter_running(counter, perf_counter_event_time(counter)));
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

static int clock_event_init(struct perf_counter_desc *desc)
{
	int err = sw_attr_check(&desc->attr);

	if (err)
		return err;
	if (!attr_is_clock(&desc->attr))
		return -ENOENT;
	desc->event = -1;
	desc->load |= !!desc->attr.sample_period;
	return 0;
}

/* Time, on the CPU clock and the task clock alike: how long a counter ran. */
const struct perf_counter_pmu perf_counter_clock_pmu = {
	.event_init	= clock_event_init,
	.counter_init	= clock_counter_init,
	.counter_exit	= clock_counter_exit,
	.add		= clock_add,
	.del		= clock_del,
	.read		= clock_read,
};
