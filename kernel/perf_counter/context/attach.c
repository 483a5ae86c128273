// SPDX-License-Identifier: GPL-2.0
/*
 * How the counters that a descriptor was opened with get to where they count.
 */

#include <linux/capability.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sysctl.h>

#include "internal.h"

/*
 * Counters that those without CAP_PERFMON may have in one context. Switches, ticks, forks
 * and execs walk over all of them with IRQs off.
 */
static unsigned int sysctl_perf_counter_max_per_context __read_mostly = 4096;

static struct ctl_table attach_sysctls[] = {
	{
		.procname	= "perf_counter_max_per_context",
		.data		= &sysctl_perf_counter_max_per_context,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= proc_douintvec_minmax,
		.extra1		= SYSCTL_ONE,
	},
};

static int __init attach_init(void)
{
	/* Tools of perf_events open a task's events once for each CPU. */
	sysctl_perf_counter_max_per_context = max(sysctl_perf_counter_max_per_context,
						  32 * num_possible_cpus());
	register_sysctl_init("kernel", attach_sysctls);
	return 0;
}
fs_initcall(attach_init);

/* May the current task not put one more counter into @ctx? */
static bool ctx_is_full(const struct perf_counter_ctx *ctx)
{
	return unlikely(READ_ONCE(ctx->nr_counters) >=
			READ_ONCE(sysctl_perf_counter_max_per_context)) && !perfmon_capable();
}

/**
 * struct attach - puts a counter into its context
 * @ctx: the context
 * @counter: the counter
 * @leader: of its group in that context, or itself
 * @activate: set when the context had no counter before
 * @err: set to -ENODEV when the counter is for a CPU which is offline; -ENOSPC when the
 *	context has as many as it may have; -ENOMEM
 */
struct attach {
	struct perf_counter_ctx	*ctx;
	struct perf_counter	*counter;
	struct perf_counter	*leader;
	bool			activate;
	int			err;
};

static void attach_fn(void *arg)
{
	struct attach *attach = arg;
	struct perf_counter_ctx *ctx = attach->ctx;

	/* For the whole machine, a CPU is counted from when it comes online. */
	if (!ctx->task && ctx->live_cpu < 0 && !attach->counter->desc->cpus) {
		attach->err = -ENODEV;
		return;
	}
	attach->activate = ctx->task && !ctx->nr_counters;
	perf_counter_attach(ctx, attach->counter, attach->leader);
}

static __always_inline void attach_counter(struct attach *attach, struct perf_counter_ctx *ctx,
					   struct perf_counter *counter,
					   struct perf_counter *leader)
{
	struct perf_counter_desc *desc = counter->desc;

	attach->ctx = ctx;
	attach->counter = counter;
	attach->leader = leader ?: counter;
	if (ctx_is_full(ctx) && !desc->overflow)
		attach->err = -ENOSPC;
	else
		attach->err = perf_counter_ctx_prepare(ctx, desc);
	if (!attach->err)
		perf_counter_ctx_call(ctx, attach_fn, attach, desc->needs_load);
	if (!attach->err)
		list_add_tail(&counter->desc_node, &desc->counters);
}

/* Is @desc, or the group that it joins, not counted on @cpu? */
static bool is_elsewhere(struct perf_counter_desc *desc, struct perf_counter_desc *leader, int cpu)
{
	return (desc->elsewhere && cpumask_test_cpu(cpu, desc->elsewhere)) ||
	       (leader && !perf_counter_opened(leader, cpu)->ctx);
}

/*
 * The part of desc_attach_ctx() that may be done. The leader's mutex is held; that of @desc
 * is not: whoever comes to it by a counter of a task has taken ctx->mutex before.
 */
static void attach_counters(struct attach *attach, struct perf_counter_desc *desc,
			    struct perf_counter_ctx *ctx, struct perf_counter_desc *leader)
{
	int cpu;

	if (!desc->cpus) {
		attach_counter(attach, ctx, &desc->first, leader ? &leader->first : NULL);
	} else {
		for_each_possible_cpu(cpu) {
			if (unlikely(is_elsewhere(desc, leader, cpu)))
				continue;
			attach_counter(attach, per_cpu_ptr(&perf_counter_cpu_ctx, cpu),
				       perf_counter_opened(desc, cpu),
				       leader ? perf_counter_opened(leader, cpu) : NULL);
			if (attach->err)
				return;
		}
	}
	if (leader && !attach->err)
		perf_counter_group_join(leader, desc);
}

/* Would the PMU have no room for @desc, which joins no group? Some decide on sets. */
static bool needs_group(const struct perf_counter_desc *desc)
{
	return IS_ENABLED(CONFIG_HAVE_PERF_COUNTER_SETS) && desc->needs_group;
}

/*
 * Put the counters that @desc was opened with where they count, @ctx or every
 * CPU's context, of which @ctx is the first, and into the group of @leader,
 * unless NULL.
 */
static int desc_attach_ctx(struct perf_counter_desc *desc, struct perf_counter_ctx *ctx,
			   struct perf_counter_desc *leader)
{
	struct attach attach = {};

	/* Whoever forks or execs waits for ctx->mutex: nobody else's group is waited for inside. */
	if (leader && perf_counter_group_is_elsewhere(leader, ctx))
		return -EINVAL;
	if (!leader && needs_group(desc))
		return -EINVAL;
	mutex_lock(&ctx->mutex);
	if (READ_ONCE(ctx->live_cpu) == CTX_DEAD)
		attach.err = -ESRCH;
	if (leader)
		mutex_lock(&leader->mutex);
	if (leader && !attach.err)
		attach.err = perf_counter_group_check(leader, desc, ctx);
	if (!attach.err)
		attach_counters(&attach, desc, ctx, leader);
	if (leader)
		mutex_unlock(&leader->mutex);
	if (attach.activate)
		perf_counter_ctx_activate(ctx);
	mutex_unlock(&ctx->mutex);
	return attach.err;
}

/* @desc becomes a counter of @task, which the caller may watch. */
static int desc_attach_ctx_of(struct perf_counter_desc *desc, struct task_struct *task,
			      struct perf_counter_desc *leader)
{
	struct perf_counter_ctx *ctx = perf_counter_task_ctx_get(task);
	int err = 0;

	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	if (desc->branches & PERF_COUNTER_BRANCH_STACK)
		err = perf_counter_stack_give(task);
	if (!err)
		err = desc_attach_ctx(desc, ctx, leader);
	perf_counter_ctx_put(ctx);
	return err;
}

/* Do samples of @desc contain what the arguments of system calls point to? */
static bool shows_memory(const struct perf_counter_desc *desc)
{
	return desc->attr.type == PERF_TYPE_TRACEPOINT && desc->attr.config1;
}

/**
 * perf_counter_attach_task() - a descriptor begins to count a task
 * @desc: the descriptor
 * @task: the task
 * @leader: whose group it joins, or NULL
 *
 * Context: may sleep.
 * Return: 0; -EACCES when a program may not watch the task; -ESRCH when it is ending;
 * -ENOSPC when the task has as many counters as it may have; -ENOMEM; -EINTR; or what
 * perf_counter_group_check() says.
 */
int perf_counter_attach_task(struct perf_counter_desc *desc, struct task_struct *task,
			     struct perf_counter_desc *leader)
{
	int err;

	/* Everybody may watch himself, and does not exec or fork meanwhile. */
	if (task == current)
		return desc_attach_ctx_of(desc, task, leader);

	/* Until it is attached, an exec must not change who may watch. */
	err = down_read_interruptible(&task->signal->exec_update_lock);
	if (err)
		return err;
	err = -EACCES;
	if (desc->overflow || perf_counter_may_watch(task, shows_memory(desc))) {
		/*
		 * Not in the middle of a fork: the child inherits the counter, or can be
		 * seen when it is there. Partner: perf_counter_can_fork().
		 */
		guard(mutex)(&task->perf_counter_mutex);
		err = desc_attach_ctx_of(desc, task, leader);
	}
	up_read(&task->signal->exec_update_lock);
	return err;
}

/**
 * perf_counter_attach_cpu() - a descriptor begins to count a CPU, or all of them
 * @desc: the descriptor, which says which
 * @leader: whose group it joins, or NULL
 *
 * Context: may sleep.
 * Return: 0; -ENODEV when the CPU is offline; -ENOSPC when it has as many counters as it
 * may have; -ENOMEM; or what perf_counter_group_check() says.
 */
int perf_counter_attach_cpu(struct perf_counter_desc *desc, struct perf_counter_desc *leader)
{
	int cpu = desc->cpus ? perf_counter_first_cpu(desc) : desc->cpu;

	return desc_attach_ctx(desc, per_cpu_ptr(&perf_counter_cpu_ctx, cpu), leader);
}
