// SPDX-License-Identifier: GPL-2.0
/*
 * To whom a record that is not a sample goes.
 *
 * What a task does is told to the active counters of the task, and of the CPU
 * where it happens. What becomes of the machine, its code and its control
 * groups, is told to every open descriptor that asked, on or off: a program
 * that is watched runs the kernel's new code whoever loaded it.
 */

#include "../context/context.h"

/* Descriptors that want the machine's records; RCU, changed under the lock. */
static LIST_HEAD(machine_descs);
static DEFINE_SPINLOCK(machine_lock);

/**
 * perf_counter_sideband_open() - a descriptor gets the machine's records
 * @desc: the descriptor, which asked for them
 */
void perf_counter_sideband_open(struct perf_counter_desc *desc)
{
	spin_lock(&machine_lock);
	list_add_tail_rcu(&desc->machine_node, &machine_descs);
	spin_unlock(&machine_lock);
}

/**
 * perf_counter_sideband_close() - and no more of them
 * @desc: the descriptor, to be freed after an RCU grace period
 */
void perf_counter_sideband_close(struct perf_counter_desc *desc)
{
	spin_lock(&machine_lock);
	list_del_rcu(&desc->machine_node);
	spin_unlock(&machine_lock);
}

/**
 * perf_counter_sideband_machine() - tell of the machine
 * @fn: called for a counter of each descriptor in question: of any CPU, or of this
 * @data: its second argument
 *
 * Context: any.
 */
void perf_counter_sideband_machine(perf_counter_sideband_fn fn, void *data)
{
	struct perf_counter_desc *desc;
	int cpu;

	guard(preempt)();
	cpu = smp_processor_id();
	list_for_each_entry_rcu(desc, &machine_descs, machine_node) {
		/* Who has heard that there will be nothing more gets nothing more. */
		if (perf_counter_is_over(desc))
			continue;
		if (desc->cpu == -1 || desc->cpu == cpu)
			fn(perf_counter_opened(desc, cpu), data);
	}
}

static void sideband_ctx(struct perf_counter_ctx *ctx, perf_counter_sideband_fn fn, void *data)
{
	struct perf_counter *counter;

	list_for_each_entry_rcu(counter, &ctx->sideband, sideband_node) {
		/* A member that is on has its records, whether its leader counts or not. */
		if (!READ_ONCE(counter->enabled))
			continue;
		if (counter->cpu == -1 || counter->cpu == smp_processor_id())
			fn(counter, data);
	}
}

/**
 * perf_counter_sideband_cpu() - tell the active side-band counters of this CPU
 * @fn: called for each
 * @data: its second argument
 *
 * Context: any; preemption disabled.
 */
void perf_counter_sideband_cpu(perf_counter_sideband_fn fn, void *data)
{
	sideband_ctx(this_cpu_ptr(&perf_counter_cpu_ctx), fn, data);
}

/**
 * perf_counter_sideband_current() - tell those of the current task, and of this CPU
 * @fn: called for each
 * @data: its second argument
 *
 * Context: any.
 */
void perf_counter_sideband_current(perf_counter_sideband_fn fn, void *data)
{
	guard(preempt)();
	/* Who attaches to a task that is ending may take the context from it again. */
	perf_counter_sideband_each(READ_ONCE(current->perf_counter_ctx), fn, data);
}

/**
 * perf_counter_sideband_here() - is there anybody whom that would tell?
 *
 * Context: any. The current task may be elsewhere a moment later.
 * Return: true if so.
 */
bool perf_counter_sideband_here(void)
{
	struct perf_counter_ctx *ctx;

	guard(preempt)();
	ctx = READ_ONCE(current->perf_counter_ctx);
	return !list_empty(&this_cpu_ptr(&perf_counter_cpu_ctx)->sideband) ||
	       (ctx && !list_empty(&ctx->sideband));
}

/**
 * perf_counter_sideband_each() - tell those of a task, and of this CPU
 * @ctx: the task's context, which must not go meanwhile, or NULL
 * @fn: called for each
 * @data: its second argument
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
