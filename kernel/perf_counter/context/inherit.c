// SPDX-License-Identifier: GPL-2.0
/*
 * Inheritance: what the child of a fork has from its parent.
 *
 * It is one allocation, freed as one: the child's context, and all its counters.
 */

#include <linux/sched/task.h>
#include <linux/slab.h>

#include "internal.h"

/**
 * struct inherited - all that a child inherits, in one allocation
 * @ctx: the child's context
 * @counters: one for each counter it inherits
 */
struct inherited {
	struct perf_counter_ctx	ctx;
	struct perf_counter	counters[];
};

/* Whoever frees the context frees all of it. */
static_assert(!offsetof(struct inherited, ctx));

/* For those with one counter, which most are. */
static struct kmem_cache *inherited_one_cache __ro_after_init;

/* What @child's counter has from @parent's, whose ctx->lock is held. */
static void inherit_state(struct perf_counter *child, struct perf_counter *parent)
{
	child->cpu = parent->cpu;
	child->filter = parent->filter & ~FILTER_UNLOADED;
	child->enabled = parent->enabled;
	child->enable_on_exec = parent->enable_on_exec;
	/* In frequency mode, what the parent found out is where to start. */
	child->period = parent->period;
	local64_set(&child->period_left, parent->period);
}

/* Bring @child to life, unless @parent is being closed. */
static void inherit_counter(struct perf_counter_ctx *ctx, struct perf_counter *child,
			    struct perf_counter *parent)
{
	struct perf_counter_desc *desc = child->desc;
	struct perf_counter *leader = child;

	mutex_lock(&desc->mutex);
	if (!desc->closed) {
		raw_spin_lock_irq(&parent->ctx->lock);
		inherit_state(child, parent);
		if (parent->leader != parent)
			leader = parent->leader->heir;
		raw_spin_unlock(&parent->ctx->lock);

		raw_spin_lock(&ctx->lock);
		/* Leaders come first: theirs is there already, or was closed. */
		perf_counter_attach(ctx, child, leader->ctx ? leader : child);
		raw_spin_unlock_irq(&ctx->lock);
		list_add_tail(&child->desc_node, &desc->counters);
	}
	mutex_unlock(&desc->mutex);
}

/* Room for what a child inherits, all zero, or NULL. Freed by kvfree_rcu(). */
static struct inherited *inherited_alloc(unsigned int nr)
{
	size_t size = struct_size_t(struct inherited, counters, nr);
	struct inherited *inherited;

	if (nr == 1)
		inherited = kmem_cache_alloc(inherited_one_cache, GFP_KERNEL);
	else
		inherited = kvmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	/* kvzalloc() would clear what the allocator rounds up to as well. */
	return inherited ? memset(inherited, 0, size) : NULL;
}

/*
 * The child's context gets the lists that its @nr heirs ask for as they attach: by what they
 * count, not by where their parents are listed, for groups move. Those of counters that are
 * gone it does not get. If it fails nothing is left.
 */
static int prepare_heirs(struct inherited *inherited, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (perf_counter_ctx_prepare(&inherited->ctx, inherited->counters[i].desc))
			break;
	}
	if (likely(i == nr))
		return 0;
	for (i = 0; i < nr; i++)
		perf_counter_desc_put(inherited->counters[i].desc);
	perf_counter_ctx_put(&inherited->ctx);
	return -ENOMEM;
}

/* Hand the counters of @ctx, the current task's, on to @child. With ctx->mutex held. */
static int ctx_inherit(struct perf_counter_ctx *ctx, struct task_struct *child)
{
	struct inherited *inherited;
	struct perf_counter *counter;
	unsigned int i, nr;
	u64 stream_id;
	int err;

	/* Nobody joins meanwhile; the number can but shrink. */
	nr = READ_ONCE(ctx->nr_inherit);
	if (!nr)
		return 0;

	inherited = inherited_alloc(nr);
	if (!inherited)
		return -ENOMEM;
	perf_counter_ctx_init(&inherited->ctx, child);

	/* Until it is brought to life, an heir points back to its parent. */
	i = 0;
	raw_spin_lock_irq(&ctx->lock);
	list_for_each_entry(counter, &ctx->counters, ctx_node) {
		if (!counter->desc->attr.inherit)
			continue;
		/* On the list, so not closed yet: there are references left. */
		refcount_inc(&counter->desc->refs);
		counter->heir = &inherited->counters[i];
		inherited->counters[i].desc = counter->desc;
		inherited->counters[i++].heir = counter;
	}
	raw_spin_unlock_irq(&ctx->lock);

	nr = i;
	err = prepare_heirs(inherited, nr);
	if (err)
		return err;
	stream_id = perf_counter_new_ids(nr);
	for (i = 0; i < nr; i++) {
		struct perf_counter *heir = &inherited->counters[i];
		struct perf_counter_desc *desc = heir->desc;

		counter = heir->heir;
		heir->heir = NULL;
		perf_counter_init_counter(heir, desc, stream_id + i);
		inherit_counter(&inherited->ctx, heir, counter);
		perf_counter_desc_put(desc);
		cond_resched();
	}
	child->perf_counter_ctx = &inherited->ctx;
	return 0;
}

/**
 * perf_counter_can_fork() - hand the current task's counters on
 * @child: being forked, and unknown to others still
 *
 * Until perf_counter_post_fork() or perf_counter_cancel_fork(), no other task opens a
 * counter of the current one. So whatever counter an open has returned is inherited, or
 * the child can be seen by then.
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int perf_counter_can_fork(struct task_struct *child)
{
	struct perf_counter_ctx *ctx;
	int err = 0;

	child->perf_counter_ctx = NULL;
	RCU_INIT_POINTER(child->perf_counter_stack, NULL);
	child->perf_counter_migrated = 0;
	child->perf_counter_exited = 0;
	mutex_init(&child->perf_counter_mutex);
	INIT_LIST_HEAD(&child->perf_counter_owned);

	/* Partner: perf_counter_attach_task(). */
	mutex_lock(&current->perf_counter_mutex);
	ctx = current->perf_counter_ctx;
	if (ctx) {
		mutex_lock(&ctx->mutex);
		err = ctx_inherit(ctx, child);
		mutex_unlock(&ctx->mutex);
	}
	if (err)
		mutex_unlock(&current->perf_counter_mutex);
	return err;
}

/**
 * perf_counter_cancel_fork() - the fork has failed
 * @child: as it was given to perf_counter_can_fork(), which has succeeded
 *
 * Context: may sleep.
 */
void perf_counter_cancel_fork(struct task_struct *child)
{
	mutex_unlock(&current->perf_counter_mutex);
	perf_counter_drop_task(child);
}

/**
 * perf_counter_post_fork() - the child can be seen
 * @child: it
 *
 * Context: may sleep.
 */
void perf_counter_post_fork(struct task_struct *child)
{
	mutex_unlock(&current->perf_counter_mutex);
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_TASK]))
		perf_counter_record_fork(child);
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_SW_OFF_CPU]))
		perf_counter_off_cpu_new(child);
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_BRANCHES]))
		perf_counter_stack_fork(child);
	perf_counter_namespaces(child);
}

static int __init inherit_init(void)
{
	inherited_one_cache = kmem_cache_create("perf_counter_inherited",
						struct_size_t(struct inherited, counters, 1), 0,
						SLAB_PANIC | SLAB_ACCOUNT, NULL);
	return 0;
}
core_initcall(inherit_init);
