// SPDX-License-Identifier: GPL-2.0
/*
 * Side-band records: find the counters that get a record other than a sample.
 *
 * Records of a task go to the enabled counters of the task and of the CPU that it runs
 * on. Records of the machine, that is of the kernel's code and of control groups, go to
 * every open descriptor that asks for them, enabled or not: the tasks that a program
 * monitors run new kernel code regardless of which task loaded it.
 */

#include "../counter/cgroup.h"
#include "../counter/desc.h"
#include "../counter/ctx.h"
#include "../counter/task.h"
#include "record.h"

/* Descriptors that get records of the machine. RCU list, changed under machine_lock. */
static LIST_HEAD(machine_descs);
static DEFINE_SPINLOCK(machine_lock);

/**
 * perf_counter_sideband_open() - Start writing records of the machine for a descriptor
 * @desc: descriptor that asks for such records
 *
 * Context: preemptible.
 */
void perf_counter_sideband_open(struct perf_counter_desc *desc)
{
	spin_lock(&machine_lock);
	list_add_tail_rcu(&desc->records.machine_node, &machine_descs);
	spin_unlock(&machine_lock);
}

/**
 * perf_counter_sideband_close() - Stop writing records of the machine for a descriptor
 * @desc: descriptor, which must not be freed until an RCU grace period has passed
 *
 * Context: preemptible.
 */
void perf_counter_sideband_close(struct perf_counter_desc *desc)
{
	spin_lock(&machine_lock);
	list_del_rcu(&desc->records.machine_node);
	spin_unlock(&machine_lock);
}

/**
 * perf_counter_sideband_machine() - Write a record of the machine for all descriptors
 * @fn: function that is called with one counter of each descriptor that counts on all CPUs or on
 *         this CPU, descriptors of control groups included
 * @data: second argument of @fn
 *
 * Context: any.
 */
void perf_counter_sideband_machine(perf_counter_sideband_fn fn, void *data)
{
	struct perf_counter_desc *desc;
	int cpu;

	guard(preempt)();
	cpu = smp_processor_id();
	list_for_each_entry_rcu(desc, &machine_descs, records.machine_node) {
		/* poll() has reported EPOLLHUP: write no further records. */
		if (perf_counter_no_more_records(desc))
			continue;
		if (desc->cpu == -1 || desc->cpu == cpu)
			fn(perf_counter_opened(desc, cpu), data);
	}
}

static void sideband_ctx(struct perf_counter_ctx *ctx, perf_counter_sideband_fn fn, void *data)
{
	struct perf_counter *counter;

	list_for_each_entry_rcu(counter, &ctx->sideband, sideband_node) {
		/*
		 * Test enabled, not group_enabled: a member gets its records even if its leader is
		 * disabled.
		 */
		if (!READ_ONCE(counter->enabled))
			continue;
		if (counter->cpu == -1 || counter->cpu == smp_processor_id())
			fn(counter, data);
	}
}

/**
 * perf_counter_sideband_cpu() - Write a record for the side-band counters of this CPU, and of the
 * control groups of the current task
 * @fn: function that is called for each enabled counter
 * @data: second argument of @fn
 *
 * Context: any; preemption disabled.
 */
void perf_counter_sideband_cpu(perf_counter_sideband_fn fn, void *data)
{
	unsigned long levels = perf_counter_cgroup_levels();
	struct perf_counter_ctx *ctx;

	sideband_ctx(this_cpu_ptr(&perf_counter_cpu_ctx), fn, data);
	while ((ctx = perf_counter_next_cgroup(&levels)))
		sideband_ctx(ctx, fn, data);
}

/**
 * perf_counter_sideband_current() - Write a record for counters of the current task and
 * CPU
 * @fn: function that is called for each enabled counter
 * @data: second argument of @fn
 *
 * Context: any.
 */
void perf_counter_sideband_current(perf_counter_sideband_fn fn, void *data)
{
	guard(preempt)();
	/*
	 * Read the pointer once: the context is detached concurrently if a counter was just
	 * attached to an exiting task.
	 */
	perf_counter_sideband_each(perf_counter_task_ctx(current), fn, data);
}

/**
 * perf_counter_sideband_active() - Test for side-band counters of the current task, its control
 * groups and CPU
 *
 * Context: any. If the task moves to another CPU, the answer is outdated.
 * Return: true if there are such counters.
 */
bool perf_counter_sideband_active(void)
{
	struct perf_counter_ctx *ctx;
	unsigned long levels;

	guard(preempt)();
	ctx = perf_counter_task_ctx(current);
	if (!list_empty(&this_cpu_ptr(&perf_counter_cpu_ctx)->sideband) ||
	    (ctx && !list_empty(&ctx->sideband)))
		return true;
	levels = perf_counter_cgroup_levels();
	while ((ctx = perf_counter_next_cgroup(&levels))) {
		if (!list_empty(&ctx->sideband))
			return true;
	}
	return false;
}

/**
 * perf_counter_sideband_each() - Write a record for counters of a task and of this CPU
 * @ctx: context of the task, which must not be freed concurrently; NULL for none
 * @fn: function that is called for each enabled counter
 * @data: second argument of @fn
 *
 * Context: any.
 */
void perf_counter_sideband_each(struct perf_counter_ctx *ctx, perf_counter_sideband_fn fn,
				void *data)
{
	guard(preempt)();
	perf_counter_sideband_cpu(fn, data);
	if (ctx)
		sideband_ctx(ctx, fn, data);
}
