// SPDX-License-Identifier: GPL-2.0
/*
 * The limit on the CPU time that samples take. The time is measured in cycles and checked every
 * tenth of a second. If samples took too much time, the limit on samples per second is lowered
 * for all CPUs.
 */

#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/sysctl.h>

#include "overflow.h"

/* Percent of a CPU's time that samples may take; 0 and 100: no limit. */
static int sysctl_perf_counter_cpu_time_max_percent __read_mostly = 25;

static struct ctl_table budget_sysctls[] = {
	{
		.procname	= "perf_counter_cpu_time_max_percent",
		.data		= &sysctl_perf_counter_cpu_time_max_percent,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_ONE_HUNDRED,
	},
};

static int __init budget_init(void)
{
	register_sysctl_init("kernel", budget_sysctls);
	return 0;
}
fs_initcall(budget_init);

/* Length of a window in jiffies: the time is checked once in each window. */
#define WINDOW	(HZ / 10)

static void budget_tell(struct irq_work *work);

DEFINE_PER_CPU(struct perf_counter_budget, perf_counter_budget) = {
	.tell = IRQ_WORK_INIT_HARD(budget_tell),
};

static void budget_tell(struct irq_work *work)
{
	struct perf_counter_budget *b = container_of(work, struct perf_counter_budget, tell);

	pr_info("perf_counter: samples took up to %d %% of a CPU's time; kernel.perf_counter_max_sample_rate is %d now\n",
		READ_ONCE(b->percent), READ_ONCE(b->lowered));
}

/*
 * Lower the rate limit, because samples took @percent of the time and only @allowed percent are
 * allowed. Lower it at once, even in an NMI: no interrupt is handled during a storm of NMIs.
 */
static void budget_lower(struct perf_counter_budget *b, int percent, int allowed)
{
	/* The limit is at least one sample in each tick. */
	int rate = max_t(u64, div_u64((u64)b->rate * allowed, percent), HZ);

	/* If several CPUs exceeded the same limit, one of them lowers it. */
	if (rate >= b->rate || !perf_counter_replace_max_sample_rate(b->rate, rate))
		return;
	WRITE_ONCE(b->percent, percent);
	WRITE_ONCE(b->lowered, rate);
	irq_work_queue(&b->tell);
}

/**
 * perf_counter_budget_is_spent() - Check whether samples have used up their time on this CPU
 *
 * Samples that are taken with locks held check this in addition to the rate limit: with very many
 * counters, even the lowest rate limit would allow too many samples.
 *
 * Context: any but NMI; preemption disabled.
 * Return: true when samples have used up their share of the current tenth of a second.
 */
bool perf_counter_budget_is_spent(void)
{
	struct perf_counter_budget *b = this_cpu_ptr(&perf_counter_budget);
	int allowed = READ_ONCE(sysctl_perf_counter_cpu_time_max_percent);

	perf_counter_budget_look();
	return allowed % 100 && b->percent_cycles && b->spent > b->percent_cycles * allowed;
}

/*
 * Return the number of cycles of 1 % of a window, or 0 if it is unknown. @cycles is the number of
 * cycles since the previous check; @now is the time in jiffies.
 */
static u64 percent_cycles(const struct perf_counter_budget *b, u64 cycles, unsigned long now)
{
	unsigned long ticks = now - (b->until - WINDOW);

	/* Without a previous check, or long after it, @cycles says nothing about a window. */
	if (!b->since || ticks > 10 * HZ)
		return 0;
	return div64_u64(cycles * WINDOW, (u64)ticks * 100);
}

/**
 * perf_counter_budget_look() - Check the time that samples took, once a window
 *
 * Context: an overflow, NMI included; called once a tick or more often.
 */
void perf_counter_budget_look(void)
{
	struct perf_counter_budget *b = this_cpu_ptr(&perf_counter_budget);
	int allowed = READ_ONCE(sysctl_perf_counter_cpu_time_max_percent);
	unsigned long ticks = READ_ONCE(jiffies);
	u64 now, hundredth, spent;

	if (time_before(ticks, b->until))
		return;
	now = get_cycles();
	hundredth = (now - b->since) / 100;
	b->percent_cycles = percent_cycles(b, now - b->since, ticks);
	b->until = ticks + WINDOW;
	b->since = now;
	spent = b->spent;
	b->spent = 0;
	/* Round the percentage up, so that an excess of less than 1 % lowers the rate, too. */
	if (allowed % 100 && hundredth && spent > hundredth * allowed && b->rate)
		budget_lower(b, min_t(u64, div64_u64(spent, hundredth) + 1, 100), allowed);
	b->rate = READ_ONCE(sysctl_perf_counter_max_sample_rate);
}
