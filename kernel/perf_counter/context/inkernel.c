// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that the kernel itself opens: descriptors without a file, an owner, a label or a buffer.
 * They are scheduled like the counters of programs.
 */

#include "../record/record.h"
#include "context.h"

static void overflow_ignored(struct perf_counter_desc *desc,
			     const struct perf_counter_sample *sample, struct pt_regs *regs)
{
}

/**
 * perf_counter_kernel_open() - Open a counter for the kernel itself
 * @attr: attr that perf_counter_check_attr() accepts
 * @task: task to count; NULL: all tasks of the CPU
 * @cpu: only CPU to count on; -1: all
 * @overflow: function called at the end of each period; NULL: none
 *
 * No permission is checked.
 *
 * Context: may sleep.
 * Return: the counter, to be closed; -EBUSY, -ENOENT, -EOPNOTSUPP or -EINVAL from its PMU;
 * -ENODEV for a CPU that is offline; -ESRCH for a task that is exiting; -ENOMEM; -EINTR.
 */
struct perf_counter_desc *perf_counter_kernel_open(const struct perf_counter_attr *attr,
						   struct task_struct *task, int cpu,
						   perf_counter_overflow_fn overflow)
{
	struct perf_counter_desc *desc;
	struct perf_counter_plan plan;
	int err;

	perf_counter_plan_records(&plan, attr);
	desc = perf_counter_desc_alloc(attr, &plan, task, cpu, overflow ?: overflow_ignored);
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
 * perf_counter_kernel_close() - Close a counter of the kernel
 * @desc: the counter
 *
 * After the return, no hardware overflow calls the counter's function. A software event that
 * found the counter before may still call it for an RCU grace period.
 *
 * Context: may sleep.
 */
void perf_counter_kernel_close(struct perf_counter_desc *desc)
{
	perf_counter_desc_close(desc);
	perf_counter_desc_put(desc);
}

/**
 * perf_counter_kernel_enable() - Enable a counter of the kernel
 * @desc: the counter
 *
 * Context: may sleep.
 */
void perf_counter_kernel_enable(struct perf_counter_desc *desc)
{
	perf_counter_desc_do(desc, perf_counter_op_enable);
}
