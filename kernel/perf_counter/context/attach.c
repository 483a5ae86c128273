// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching: how the counters that a descriptor was opened with join their contexts.
 */

#include <linux/capability.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sysctl.h>

#include "internal.h"

/*
 * Number of counters in one context from which on a new one needs CAP_PERFMON. Context switches,
 * ticks, forks and execs walk over all counters of a context with IRQs off.
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
	/* Allow at least 32 counters for each CPU: tools open each event of a task once per CPU. */
	sysctl_perf_counter_max_per_context = max(sysctl_perf_counter_max_per_context,
						  32 * num_possible_cpus());
	register_sysctl_init("kernel", attach_sysctls);
	return 0;
}
fs_initcall(attach_init);

/* Return true if the current task may not add another counter to @ctx. */
static bool ctx_is_full(const struct perf_counter_ctx *ctx)
{
	return unlikely(READ_ONCE(ctx->nr_counters) >=
			READ_ONCE(sysctl_perf_counter_max_per_context)) && !perfmon_capable();
}

/**
 * struct attach - arguments and result of adding a counter to a context
 * @ctx: context that the counter joins
 * @counter: counter to add
 * @leader: leader of the group in that context; @counter if it leads
 * @activate: result: the context had no counter before
 * @err: result: 0; -ENODEV when the counter's CPU is offline; -ENOSPC when the context is full;
 *	-ENOMEM
 */
struct attach {
	struct perf_counter_ctx	*ctx;
	struct perf_counter	*counter;
	struct perf_counter	*leader;
	bool			activate;
	int			err;
};

/*
 * Return true if @cpu, the CPU of @ctx, is offline. A context of a control group that does not run
 * says nothing about its CPU: it also stops while the CPU runs other tasks. ctx->lock held.
 */
static bool cpu_is_off(const struct perf_counter_ctx *ctx, int cpu)
{
	return ctx->cgroup ? !cpu_online(cpu) : ctx->live_cpu < 0;
}

static void attach_fn(void *arg)
{
	struct attach *attach = arg;
	struct perf_counter_ctx *ctx = attach->ctx;

	/*
	 * Only a descriptor of the whole machine may join an offline CPU. It starts to count when
	 * the CPU comes online.
	 */
	if (!ctx->task && !attach->counter->desc->cpus && cpu_is_off(ctx, attach->counter->cpu)) {
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

/* Return true if @cpu cannot count @desc, or the group that it joins. */
static bool cpu_unsupported(struct perf_counter_desc *desc, struct perf_counter_desc *leader,
			    int cpu)
{
	return (desc->unsupported_cpus && cpumask_test_cpu(cpu, desc->unsupported_cpus)) ||
	       (leader && !perf_counter_opened(leader, cpu)->ctx);
}

/* Return the context where a counter of @desc counts on @cpu. */
static struct perf_counter_ctx *desc_cpu_ctx(const struct perf_counter_desc *desc, int cpu)
{
	return desc->cgroup ? perf_counter_cgroup_cpu_ctx(desc->cgroup, cpu) :
			      per_cpu_ptr(&perf_counter_cpu_ctx, cpu);
}

/*
 * Add the counters of @desc, after all checks. The caller holds the leader's mutex. The mutex of
 * @desc is taken inside ctx->mutex.
 */
static void attach_counters(struct attach *attach, struct perf_counter_desc *desc,
			    struct perf_counter_ctx *ctx, struct perf_counter_desc *leader)
{
	int cpu;

	if (!desc->cpus) {
		attach_counter(attach, ctx, &desc->first, leader ? &leader->first : NULL);
	} else {
		for_each_possible_cpu(cpu) {
			if (unlikely(cpu_unsupported(desc, leader, cpu)))
				continue;
			attach_counter(attach, desc_cpu_ctx(desc, cpu),
				       perf_counter_opened(desc, cpu),
				       leader ? perf_counter_opened(leader, cpu) : NULL);
			if (attach->err)
				return;
		}
	}
	if (leader && !attach->err)
		perf_counter_group_join(leader, desc);
}

/*
 * Return true if the PMU can count @desc only as a member of a group: a PMU that programs whole
 * sets of counters may have the event only in sets with other events.
 */
static bool needs_group(const struct perf_counter_desc *desc)
{
	return IS_ENABLED(CONFIG_HAVE_PERF_COUNTER_SETS) && desc->needs_group;
}

/*
 * Add the counters that @desc was opened with to @ctx and, if @leader is not NULL, to its group.
 * If @desc counts all CPUs, @ctx is the context of the first one.
 */
static int desc_attach_ctx(struct perf_counter_desc *desc, struct perf_counter_ctx *ctx,
			   struct perf_counter_desc *leader)
{
	struct attach attach = {};

	/*
	 * If the leader counts in another context, refuse before ctx->mutex is taken. Forks and
	 * execs of the task wait for ctx->mutex, and would wait for the group of the other context
	 * as well.
	 */
	if (leader && perf_counter_group_in_other_ctx(leader, ctx))
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

/* Add the counter of @desc to the context of @task, which the caller may watch. */
static int desc_attach_ctx_of(struct perf_counter_desc *desc, struct task_struct *task,
			      struct perf_counter_desc *leader)
{
	struct perf_counter_ctx *ctx = perf_counter_task_ctx_get(task);
	int err = 0;

	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	if (desc->records.branches & PERF_COUNTER_BRANCH_CALL_STACK)
		err = perf_counter_stack_give(task);
	if (!err)
		err = desc_attach_ctx(desc, ctx, leader);
	perf_counter_ctx_put(ctx);
	return err;
}

/**
 * perf_counter_attach_task() - Attach a descriptor to a task
 * @desc: the descriptor
 * @task: the task
 * @leader: leader of the group that the descriptor joins; NULL: none
 *
 * Context: may sleep.
 * Return: 0; -EACCES when the caller may not watch the task; -ESRCH when the task is exiting;
 * -ENOSPC when the task's context is full; -ENOMEM; -EINTR; or the result of
 * perf_counter_group_check().
 */
int perf_counter_attach_task(struct perf_counter_desc *desc, struct task_struct *task,
			     struct perf_counter_desc *leader)
{
	int err;

	/* A task may watch itself, and cannot exec or fork during this call. */
	if (task == current)
		return desc_attach_ctx_of(desc, task, leader);

	/* An exec must not change the right to watch the task before the counter is attached. */
	err = down_read_interruptible(&task->signal->exec_update_lock);
	if (err)
		return err;
	err = -EACCES;
	if (desc->overflow || perf_counter_may_watch(task, desc->records.plan.reveals_memory))
		err = desc_attach_ctx_of(desc, task, leader);
	up_read(&task->signal->exec_update_lock);
	if (!err)
		perf_counter_wait_for_fork(task);
	return err;
}

/**
 * perf_counter_attach_cpu() - Attach a descriptor to a CPU, or to all CPUs
 * @desc: the descriptor; desc->cpu is the CPU, or -1 for all; desc->cgroup is the control group
 *	whose tasks are counted there, or NULL for all tasks
 * @leader: leader of the group that the descriptor joins; NULL: none
 *
 * Context: may sleep.
 * Return: 0; -ENODEV when the CPU is offline; -ENOSPC when the CPU's context is full; -ENOMEM; or
 * the result of perf_counter_group_check().
 */
int perf_counter_attach_cpu(struct perf_counter_desc *desc, struct perf_counter_desc *leader)
{
	int cpu = desc->cpus ? perf_counter_first_cpu(desc) : desc->cpu;

	return desc_attach_ctx(desc, desc_cpu_ctx(desc, cpu), leader);
}
