// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of the kernel itself: descriptors without a file, an owner, a label and a
 * buffer. What they count, and when, is decided as for any other.
 */

#include "context.h"

static void overflow_ignored(struct perf_counter_desc *desc,
			     const struct perf_counter_sample *sample, struct pt_regs *regs)
{
}

/**
 * perf_counter_kernel_open() - open a counter for the kernel itself
 * @attr: what to count; one that perf_counter_check_attr() lets pass
 * @task: the task to count; NULL: all that the CPU does
 * @cpu: the only CPU to count on; -1 for all
 * @overflow: called at the end of each period; NULL if that does not matter
 *
 * Nobody is asked for permission.
 *
 * Context: may sleep.
 * Return: the counter, to be closed; -EBUSY, -ENOENT, -EOPNOTSUPP or -EINVAL by its PMU,
 * -ENODEV for a CPU that is offline, -ESRCH for a task that is ending, -ENOMEM, -EINTR.
 */
struct perf_counter_desc *perf_counter_kernel_open(const struct perf_counter_attr *attr,
						   struct task_struct *task, int cpu,
						   perf_counter_overflow_fn overflow)
{
	struct perf_counter_desc *desc;
	int err;

	desc = perf_counter_desc_alloc(attr, task, cpu, overflow ?: overflow_ignored);
	if (IS_ERR(desc))
		return desc;
	err = task ? perf_counter_attach_task(desc, task, NULL) :
		     perf_counter_attach_cpu(desc, NULL);
	if (!err)
		return desc;
	perf_counter_kernel_close(desc);
	return ERR_PTR(err);
}

/**
 * perf_counter_kernel_close() - close a counter of the kernel
 * @desc: the counter
 *
 * A PMU's overflows are over when it returns; an event of software that has found the
 * counter before calls its function until an RCU grace period later.
 *
 * Context: may sleep.
 */
void perf_counter_kernel_close(struct perf_counter_desc *desc)
{
	perf_counter_desc_close(desc);
	perf_counter_desc_put(desc);
}

/**
 * perf_counter_kernel_enable() - let a counter of the kernel count
 * @desc: the counter
 *
 * Context: may sleep.
 */
void perf_counter_kernel_enable(struct perf_counter_desc *desc)
{
	perf_counter_desc_do(desc, perf_counter_op_enable);
}

/**
 * perf_counter_kernel_disable() - stop it
 * @desc: the counter
 *
 * Context: may sleep.
 */
void perf_counter_kernel_disable(struct perf_counter_desc *desc)
{
	perf_counter_desc_do(desc, perf_counter_op_disable);
}

/**
 * perf_counter_kernel_set_period() - another period, which begins now
 * @desc: the counter
 * @period: events per overflow; Hz if it was opened with a frequency
 *
 * Context: may sleep.
 * Return: 0; -EINVAL when it was opened without a period, or this one is out of range.
 */
int perf_counter_kernel_set_period(struct perf_counter_desc *desc, u64 period)
{
	return perf_counter_desc_set_period(desc, period);
}

/**
 * perf_counter_kernel_read() - what a counter of the kernel has counted
 * @desc: the counter
 * @enabled: set to how long it was enabled, ns, unless NULL
 * @running: set to how long it has counted, ns, unless NULL
 *
 * Context: may sleep.
 * Return: events.
 */
u64 perf_counter_kernel_read(struct perf_counter_desc *desc, u64 *enabled, u64 *running)
{
	struct perf_counter_value value = perf_counter_desc_value(desc);

	if (enabled)
		*enabled = value.enabled;
	if (running)
		*running = value.running;
	return value.count;
}
