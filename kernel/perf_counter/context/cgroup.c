// SPDX-License-Identifier: GPL-2.0
/*
 * Control groups: counters of the tasks in a group of the default hierarchy, and in the groups
 * below it.
 *
 * A group that is counted has a context on each possible CPU, which runs while a task of the group
 * runs on that CPU. A switch between two tasks of one group changes nothing; any other switch looks
 * up each ancestor of the next task's group once, however many groups are counted. The contexts
 * that are live on a CPU have one slot for each level of the hierarchy, so a group that is too deep
 * cannot be counted; tasks in it still count for the groups above it.
 *
 * The root contains all tasks: its counters are those of the CPUs, and it needs no context.
 */

#include <linux/cgroup.h>
#include <linux/percpu.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "internal.h"

/* Hooks that the contexts of control groups depend on. */
#define CGROUP_HOOKS	(BIT(PERF_COUNTER_HOOK_SCHED) | BIT(PERF_COUNTER_HOOK_SWITCH))

/**
 * struct perf_counter_cgroup - a control group that is counted
 * @node: entry in the table of these groups
 * @cgroup: the group, with a reference
 * @users: number of descriptors that count the group; guarded by cgroups_mutex
 * @ctxs: context of the group on each possible CPU
 * @free: frees the contexts once no event can be using them
 */
struct perf_counter_cgroup {
	struct rhash_head		node;
	struct cgroup			*cgroup;
	unsigned int			users;
	struct perf_counter_ctx __percpu *ctxs;
	struct rcu_work			free;
};

/* Guards the table of counted groups; switches look groups up under RCU. */
static DEFINE_MUTEX(cgroups_mutex);

static struct rhashtable cgroups;

static const struct rhashtable_params cgroups_params = {
	.head_offset		= offsetof(struct perf_counter_cgroup, node),
	.key_offset		= offsetof(struct perf_counter_cgroup, cgroup),
	.key_len		= sizeof(struct cgroup *),
	.automatic_shrinking	= true,
};

/*
 * Classes of ctx->lock by level: the locks of all live contexts of a CPU are taken at once, and
 * lockdep has fewer subclasses than the hierarchy has levels.
 */
static struct lock_class_key ctx_lock_keys[PERF_COUNTER_CGROUP_LEVEL_MAX + 1];

/* === The groups of the current task === */

static struct perf_counter_ctx *cgroup_this_ctx(struct cgroup *cgroup)
{
	struct perf_counter_cgroup *counted = rhashtable_lookup(&cgroups, &cgroup, cgroups_params);

	return counted ? this_cpu_ptr(counted->ctxs) : NULL;
}

/* Stop the live context at @level. @clock is perf_counter_clock(). IRQs off. */
static void level_stop(struct perf_counter_live_cgroups *live, unsigned int level, u64 clock)
{
	struct perf_counter_ctx *ctx = live->ctx[level];

	raw_spin_lock(&ctx->lock);
	perf_counter_ctx_stop_at(ctx, perf_counter_ctx_time_at(ctx, clock));
	raw_spin_unlock(&ctx->lock);
	WRITE_ONCE(live->levels, live->levels & ~BIT(level));
	WRITE_ONCE(live->ctx[level], NULL);
}

/* Start @ctx at @level, which is free. @clock is perf_counter_clock(). IRQs off. */
static void level_start(struct perf_counter_live_cgroups *live, unsigned int level,
			struct perf_counter_ctx *ctx, u64 clock)
{
	WRITE_ONCE(live->ctx[level], ctx);
	/* Events of this CPU read the mask before the slot. */
	barrier();
	WRITE_ONCE(live->levels, live->levels | BIT(level));
	raw_spin_lock(&ctx->lock);
	perf_counter_ctx_start(ctx, clock);
	raw_spin_unlock(&ctx->lock);
}

/* Return true if the live context at @level is that of @cgroup or of a group above it. */
static bool level_contains(const struct perf_counter_live_cgroups *live, unsigned int level,
			   const struct cgroup *cgroup)
{
	return level <= cgroup->level &&
	       cgroup->ancestors[level] == live->ctx[level]->cgroup->cgroup;
}

/**
 * perf_counter_cgroup_sched_out() - Stop the groups that the next task is not in
 * @next: task that runs next
 *
 * Context: IRQs off, rq->lock held.
 */
void perf_counter_cgroup_sched_out(struct task_struct *next)
{
	struct perf_counter_live_cgroups *live = this_cpu_ptr(&perf_counter_live_cgroups);
	unsigned long levels = live->levels;
	struct cgroup *cgroup;
	unsigned int level;

	guard(rcu)();
	cgroup = task_dfl_cgroup(next);
	if (cgroup == live->of)
		return;
	for_each_set_bit(level, &levels, PERF_COUNTER_CGROUP_LEVEL_MAX + 1) {
		if (!level_contains(live, level, cgroup))
			level_stop(live, level, perf_counter_switch_clock());
	}
}

/* Start the contexts of @cgroup and of the groups above it that are not live. IRQs off. */
static void levels_start(struct perf_counter_live_cgroups *live, struct cgroup *cgroup, u64 clock)
{
	unsigned int level, deepest = min(cgroup->level, PERF_COUNTER_CGROUP_LEVEL_MAX);
	struct perf_counter_ctx *ctx;

	for (level = 1; level <= deepest; level++) {
		ctx = live->ctx[level] ? NULL : cgroup_this_ctx(cgroup->ancestors[level]);
		if (ctx)
			level_start(live, level, ctx, clock);
	}
	live->of = cgroup;
}

/**
 * perf_counter_cgroup_sched_in() - Start the groups that the previous task was not in
 * @task: the current task
 *
 * A task may move to another group between the two halves of a switch. The contexts that the first
 * half has left live by mistake are stopped here.
 *
 * Context: IRQs off, rq->lock held.
 */
void perf_counter_cgroup_sched_in(struct task_struct *task)
{
	struct perf_counter_live_cgroups *live = this_cpu_ptr(&perf_counter_live_cgroups);
	struct cgroup *cgroup;

	perf_counter_cgroup_sched_out(task);
	guard(rcu)();
	cgroup = task_dfl_cgroup(task);
	if (cgroup != live->of)
		levels_start(live, cgroup, perf_counter_switch_clock());
}

/* Make the live contexts of this CPU those of the groups that the current task is in. IRQs off. */
static void cgroup_sync_here(void *unused)
{
	struct perf_counter_live_cgroups *live = this_cpu_ptr(&perf_counter_live_cgroups);
	unsigned long levels = live->levels;
	u64 clock = perf_counter_clock();
	struct cgroup *cgroup;
	unsigned int level;

	guard(rcu)();
	cgroup = task_dfl_cgroup(current);
	/*
	 * Stop all contexts that end before any context starts, so that the groups that start find
	 * their room.
	 */
	for_each_set_bit(level, &levels, PERF_COUNTER_CGROUP_LEVEL_MAX + 1) {
		if (!level_contains(live, level, cgroup) ||
		    live->ctx[level] != cgroup_this_ctx(cgroup->ancestors[level]))
			level_stop(live, level, clock);
	}
	levels_start(live, cgroup, clock);
}

/**
 * perf_counter_cgroup_online() - Find the control groups of a CPU that has come online
 *
 * Context: hotplug callback of the CPU.
 */
void perf_counter_cgroup_online(void)
{
	guard(irq)();
	cgroup_sync_here(NULL);
}

/* CPUs where the moves of one migration may have changed the live groups. cgroup_mutex held. */
static cpumask_t moved_cpus;

/**
 * __perf_counter_cgroup_move() - Note that a task has moved to another group
 * @task: the task, with its new css_set
 *
 * Context: cgroup_mutex and css_set_lock held.
 */
void __perf_counter_cgroup_move(struct task_struct *task)
{
	/*
	 * Store the css_set before reading the task's CPU. Pairs with the scheduler's full barrier
	 * between choosing the task's CPU and the hook that reads the css_set. If the CPU read
	 * here is outdated, the hook sees the new css_set. If it is current, the IPI of
	 * __perf_counter_cgroup_moved() finds the task running, or comes before the hook.
	 */
	smp_mb();
	cpumask_set_cpu(task_cpu(task), &moved_cpus);
}

/**
 * __perf_counter_cgroup_moved() - Follow the tasks that have moved
 *
 * Context: may sleep; cgroup_mutex held.
 */
void __perf_counter_cgroup_moved(void)
{
	on_each_cpu_mask(&moved_cpus, cgroup_sync_here, NULL, true);
	cpumask_clear(&moved_cpus);
}

/* === Groups that are counted === */

static void cgroup_free_ctxs(struct perf_counter_cgroup *counted)
{
	struct perf_counter_ctx *ctx;
	int cpu;

	for_each_possible_cpu(cpu) {
		ctx = per_cpu_ptr(counted->ctxs, cpu);
		perf_counter_pmu_ctx_free(ctx);
		kfree(ctx->hash);
	}
	free_percpu(counted->ctxs);
}

static void cgroup_free_work(struct work_struct *work)
{
	struct perf_counter_cgroup *counted;

	counted = container_of(to_rcu_work(work), struct perf_counter_cgroup, free);
	cgroup_free_ctxs(counted);
	cgroup_put(counted->cgroup);
	kfree(counted);
}

/* Create the contexts of @cgroup. Takes over the reference to @cgroup if it succeeds. */
static struct perf_counter_cgroup *cgroup_new(struct cgroup *cgroup)
{
	struct perf_counter_cgroup *counted = kzalloc(sizeof(*counted), GFP_KERNEL_ACCOUNT);
	struct perf_counter_ctx *ctx;
	int cpu;

	if (!counted)
		return NULL;
	counted->ctxs = alloc_percpu_gfp(struct perf_counter_ctx, GFP_KERNEL_ACCOUNT);
	if (!counted->ctxs) {
		kfree(counted);
		return NULL;
	}
	for_each_possible_cpu(cpu) {
		ctx = per_cpu_ptr(counted->ctxs, cpu);
		perf_counter_ctx_init(ctx, NULL);
		ctx->cgroup = counted;
		lockdep_set_class(&ctx->lock, &ctx_lock_keys[cgroup->level]);
	}
	counted->cgroup = cgroup;
	counted->users = 1;
	INIT_RCU_WORK(&counted->free, cgroup_free_work);
	return counted;
}

/* Add the contexts of @cgroup to the table and start them. Takes over the reference to @cgroup. */
static struct perf_counter_cgroup *cgroup_add(struct cgroup *cgroup)
{
	struct perf_counter_cgroup *counted = cgroup_new(cgroup);
	int err;

	if (!counted) {
		cgroup_put(cgroup);
		return ERR_PTR(-ENOMEM);
	}
	perf_counter_hooks_get(CGROUP_HOOKS);
	static_branch_inc(&perf_counter_cgroups_key);
	/*
	 * A task that moved while the static key was off has stored its css_set before the IPIs
	 * below, which read the css_set.
	 */
	kick_all_cpus_sync();
	err = rhashtable_insert_fast(&cgroups, &counted->node, cgroups_params);
	if (err) {
		static_branch_dec(&perf_counter_cgroups_key);
		perf_counter_hooks_put(CGROUP_HOOKS);
		queue_rcu_work(system_wq, &counted->free);
		return ERR_PTR(err);
	}
	on_each_cpu(cgroup_sync_here, NULL, true);
	return counted;
}

/* Count one more descriptor for @cgroup. Takes over the reference to @cgroup. */
static struct perf_counter_cgroup *cgroup_use(struct cgroup *cgroup)
{
	struct perf_counter_cgroup *counted;

	guard(mutex)(&cgroups_mutex);
	counted = rhashtable_lookup_fast(&cgroups, &cgroup, cgroups_params);
	if (!counted)
		return cgroup_add(cgroup);
	counted->users++;
	cgroup_put(cgroup);
	return counted;
}

/**
 * perf_counter_cgroup_get() - Find the contexts of a control group, or create them
 * @fd: file descriptor of the group's directory
 *
 * Context: may sleep.
 * Return: the group, to be put; NULL for the root, which contains all tasks; -EBADF when @fd is not
 * a directory of the default hierarchy; -E2BIG when the group is too deep; -ENOMEM.
 */
struct perf_counter_cgroup *perf_counter_cgroup_get(int fd)
{
	struct cgroup *cgroup = cgroup_get_from_fd(fd);

	if (IS_ERR(cgroup))
		return ERR_CAST(cgroup);
	if (!cgroup->level) {
		cgroup_put(cgroup);
		return NULL;
	}
	if (cgroup->level > PERF_COUNTER_CGROUP_LEVEL_MAX) {
		cgroup_put(cgroup);
		return ERR_PTR(-E2BIG);
	}
	return cgroup_use(cgroup);
}

/**
 * perf_counter_cgroup_put() - Release the contexts of a control group
 * @counted: the group; the counters of the descriptor that used it have left the contexts
 *
 * Context: may sleep.
 */
void perf_counter_cgroup_put(struct perf_counter_cgroup *counted)
{
	guard(mutex)(&cgroups_mutex);
	if (--counted->users)
		return;
	rhashtable_remove_fast(&cgroups, &counted->node, cgroups_params);
	on_each_cpu(cgroup_sync_here, NULL, true);
	static_branch_dec(&perf_counter_cgroups_key);
	perf_counter_hooks_put(CGROUP_HOOKS);
	queue_rcu_work(system_wq, &counted->free);
}

/**
 * perf_counter_cgroup_cpu_ctx() - Find the context of a control group on a CPU
 * @counted: the group
 * @cpu: number of the CPU
 *
 * Return: the context.
 */
struct perf_counter_ctx *perf_counter_cgroup_cpu_ctx(struct perf_counter_cgroup *counted, int cpu)
{
	return per_cpu_ptr(counted->ctxs, cpu);
}

static int __init cgroup_counters_init(void)
{
	return rhashtable_init(&cgroups, &cgroups_params);
}
core_initcall(cgroup_counters_init);
