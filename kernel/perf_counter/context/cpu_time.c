// SPDX-License-Identifier: GPL-2.0
/*
 * The time that samples may take of a CPU. What they take is measured, in cycles, and
 * looked at every tenth of a second; when it is more than they may have, there are to be
 * fewer of them: the limit on samples per second goes down, for all CPUs.
 */

#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/sysctl.h>

#include "overflow.h"

/* Percent of a CPU's time; 0 and 100: no limit. */
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

/* Jiffies after which it is looked at what samples have taken. */
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
 * Lower the limit on samples to @allowed percent: they have taken @percent. This does not wait
 * for an interrupt: NMIs that follow one another keep interrupts from the CPU until there are
 * fewer of them.
 */
static void budget_lower(struct perf_counter_budget *b, int percent, int allowed)
{
	/* The limit is at least one sample in each tick. */
	int rate = max_t(u64, div_u64((u64)b->rate * allowed, percent), HZ);

	/* Of several CPUs one lowers the limit that they have all had. */
	if (rate >= b->rate || !perf_counter_replace_max_sample_rate(b->rate, rate))
		return;
	WRITE_ONCE(b->percent, percent);
	WRITE_ONCE(b->lowered, rate);
	irq_work_queue(&b->tell);
}

/**
 * perf_counter_budget_is_spent() - Say whether samples have had their share of this CPU
 *
 * Lower rates come too late for samples that are taken with locks held: with very many
 * counters, even the lowest rate is too much.
 *
 * Context: any but NMI; preemption disabled.
 * Return: true when, of the running tenth of a second, they have taken all that they may.
 */
bool perf_counter_budget_is_spent(void)
{
	struct perf_counter_budget *b = this_cpu_ptr(&perf_counter_budget);
	int allowed = READ_ONCE(sysctl_perf_counter_cpu_time_max_percent);

	perf_counter_budget_look();
	return allowed % 100 && b->percent_cycles && b->spent > b->percent_cycles * allowed;
}

/* At the end of a window of @cycles, which has lasted until @now, jiffies: cycles of 1 % of one. */
static u64 percent_cycles(const struct perf_counter_budget *b, u64 cycles, unsigned long now)
{
	unsigned long ticks = now - (b->until - WINDOW);

	/* There was none before, or it ended long ago: the cycles are those of something else. */
	if (!b->since || ticks > 10 * HZ)
		return 0;
	return div64_u64(cycles * WINDOW, (u64)ticks * 100);
}

/**
 * perf_counter_budget_look() - Look at what samples have taken, if it is time to
 *
 * Context: an overflow, NMI included; once a tick or more often.
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
	/* More than is allowed, if by a fraction: or there would be no fewer of them. */
	if (allowed % 100 && hundredth && spent > hundredth * allowed && b->rate)
		budget_lower(b, min_t(u64, div64_u64(spent, hundredth) + 1, 100), allowed);
	b->rate = READ_ONCE(sysctl_perf_counter_max_sample_rate);
}
