// SPDX-License-Identifier: GPL-2.0
/*
 * The limit on the samples per second of each counter: kernel.perf_counter_max_sample_rate.
 */

#include <linux/jiffies.h>
#include <linux/sysctl.h>

#include "overflow.h"

/* Maximum number of samples per second of a counter, and the number per tick derived from it. */
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
 * perf_counter_replace_max_sample_rate() - Change the limit if it has the expected value
 * @from: expected limit, samples per second
 * @to: new limit, samples per second
 *
 * Context: any.
 * Return: false when the limit was not @from; it is unchanged then.
 */
bool perf_counter_replace_max_sample_rate(int from, int to)
{
	if (cmpxchg(&sysctl_perf_counter_max_sample_rate, from, to) != from)
		return false;
	WRITE_ONCE(perf_counter_max_samples_per_tick, DIV_ROUND_UP(to, HZ));
	return true;
}

/* Upper bound of the sysctl: one sample per nanosecond. */
static const int sample_rate_max = NSEC_PER_SEC;

static struct ctl_table rate_sysctls[] = {
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

static int __init rate_init(void)
{
	register_sysctl_init("kernel", rate_sysctls);
	return 0;
}
fs_initcall(rate_init);
