// SPDX-License-Identifier: GPL-2.0
/*
 * The context of a task, from its first counter to its end: of the task, whose counters
 * leave what they have counted to their descriptors, or of its program, by an exec.
 */

#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "internal.h"

/* The counter of @desc that ctx_end_counter() is about; the mutex of @desc is held. */
static __always_inline void ctx_end_counter_locked(struct perf_counter_ctx *ctx,
						   struct perf_counter *counter,
						   struct perf_counter_desc *desc)
{
	struct perf_counter_value value;

	if (counter->ctx != ctx)
		return;
	/* A child whose fork failed, or somebody else's, is no news. */
	if (desc->attr.inherit_stat && counter != &desc->first && ctx->task == current)
		perf_counter_output_read(counter, ctx->task);

	raw_spin_lock_irq(&ctx->lock);
	perf_counter_value_of(counter, perf_counter_ctx_time(ctx), &value);
	atomic64_add(value.count, &desc->gone_count);
	/* Partner: the read barrier in desc_lone_count(). */
	smp_wmb();
	perf_counter_detach(counter);
	raw_spin_unlock_irq(&ctx->lock);

	desc->gone_enabled += value.enabled;
	desc->gone_running += value.running;
	list_del(&counter->desc_node);
	if (list_empty(&desc->counters))
		wake_up_all(&desc->writer.waitq);
}

/* The same of a member of a group. */
static noinline void ctx_end_member(struct perf_counter_ctx *ctx, struct perf_counter *counter,
				    struct perf_counter_desc *desc)
{
	struct perf_counter_desc *leader = perf_counter_group_lock(desc);

	if (leader != desc)
		mutex_lock_nested(&desc->mutex, SINGLE_DEPTH_NESTING);
	ctx_end_counter_locked(ctx, counter, desc);
	if (leader != desc)
		mutex_unlock(&desc->mutex);
	perf_counter_group_unlock(leader);
}

/*
 * The task of @counter's context is ending: what it counted goes to the
 * descriptor, unless a close was faster. Of a group, the leader's mutex is held, so that
 * whoever reads the group need not start again each time that a task ends.
 */
static __always_inline void ctx_end_counter(struct perf_counter_ctx *ctx,
					    struct perf_counter *counter,
					    struct perf_counter_desc *desc)
{
	if (rcu_access_pointer(desc->leader) != desc) {
		ctx_end_member(ctx, counter, desc);
		return;
	}
	/* Nobody joins a group later: it is alone, or leads, from here on. */
	mutex_lock(&desc->mutex);
	ctx_end_counter_locked(ctx, counter, desc);
	mutex_unlock(&desc->mutex);
}

/*
 * The last counter in @ctx, with a reference to its descriptor, or NULL. Members come before
 * their leader, whose end a reader takes for the group's.
 */
static struct perf_counter *ctx_last_counter(struct perf_counter_ctx *ctx)
{
	struct perf_counter *counter = NULL;

	raw_spin_lock_irq(&ctx->lock);
	if (!list_empty(&ctx->counters)) {
		counter = list_last_entry(&ctx->counters, struct perf_counter, ctx_node);
		/* On the list, so not closed yet: there are references left. */
		refcount_inc(&counter->desc->refs);
	}
	raw_spin_unlock_irq(&ctx->lock);
	return counter;
}

/* @counter has been looked at; if it is in @ctx still, it comes before all others there. */
static void ctx_put_first(struct perf_counter_ctx *ctx, struct perf_counter *counter)
{
	raw_spin_lock_irq(&ctx->lock);
	counter->exec_seen = ctx->exec_seen;
	if (counter->ctx == ctx)
		list_move(&counter->ctx_node, &ctx->counters);
	raw_spin_unlock_irq(&ctx->lock);
}

/* Take all counters out of @ctx. */
static void ctx_end_counters(struct perf_counter_ctx *ctx)
{
	struct perf_counter_desc *desc;
	struct perf_counter *counter;

	mutex_lock(&ctx->mutex);
	/* Partner: the release in perf_counter_detach(). */
	while (smp_load_acquire(&ctx->nr_counters)) {
		counter = ctx_last_counter(ctx);
		if (!counter)
			break;
		desc = counter->desc;
		ctx_end_counter(ctx, counter, desc);
		perf_counter_desc_put(desc);
		cond_resched();
	}
	mutex_unlock(&ctx->mutex);
}

/*
 * Take out of @ctx, the current task's, what is to end with an exec. Each counter is looked
 * at once: it goes, or to the other end of the list, on which all have their order again
 * afterwards. What says that it was looked at has another sense each time. Who is being
 * killed leaves the rest to its exit.
 */
static void ctx_end_on_exec(struct perf_counter_ctx *ctx)
{
	struct perf_counter_desc *desc;
	struct perf_counter *counter;
	bool done = false;

	mutex_lock(&ctx->mutex);
	ctx->exec_seen = !ctx->exec_seen;
	while (!done) {
		counter = ctx_last_counter(ctx);
		if (!counter)
			break;
		desc = counter->desc;
		cond_resched();
		done = counter->exec_seen == ctx->exec_seen || fatal_signal_pending(current);
		if (!done && desc->attr.remove_on_exec)
			ctx_end_counter(ctx, counter, desc);
		else if (!done)
			ctx_put_first(ctx, counter);
		perf_counter_desc_put(desc);
	}
	mutex_unlock(&ctx->mutex);
}

/* The task of @ctx has given it up. */
static void ctx_end(struct perf_counter_ctx *ctx)
{
	ctx_end_counters(ctx);
	perf_counter_ctx_put(ctx);
}

/* For ctx_take_fn(): @taken is whether the reference of its task is the caller's now. */
struct taking {
	struct perf_counter_ctx	*ctx;
	bool			taken;
};

/* Of several who take it, one gets it. At once, so that where it is live it is found, too. */
static void ctx_take_fn(void *arg)
{
	struct taking *taking = arg;
	struct perf_counter_ctx *ctx = taking->ctx;

	lockdep_assert_held(&ctx->lock);
	taking->taken = ctx->task->perf_counter_ctx == ctx;
	if (!taking->taken)
		return;
	WRITE_ONCE(ctx->task->perf_counter_ctx, NULL);
	perf_counter_ctx_stop(ctx);
	WRITE_ONCE(ctx->live_cpu, CTX_DEAD);
}

/* Take the context from @task, if it has one still. From here on its events count no more. */
static struct perf_counter_ctx *task_ctx_take(struct task_struct *task)
{
	struct taking taking = {};

	/* Until it is taken somebody else may take it, and put it. */
	guard(rcu)();
	taking.ctx = READ_ONCE(task->perf_counter_ctx);
	if (taking.ctx)
		perf_counter_ctx_call(taking.ctx, ctx_take_fn, &taking, true);
	return taking.taken ? taking.ctx : NULL;
}

/**
 * __perf_counter_drop_task() - take its counters from a task
 * @task: the current one, or one that never ran or is ending
 *
 * Context: may sleep.
 */
void __perf_counter_drop_task(struct task_struct *task)
{
	struct perf_counter_ctx *ctx = task_ctx_take(task);

	if (ctx)
		ctx_end(ctx);
}

/**
 * __perf_counter_exit_task() - the current task ends
 * @task: the task
 * @last: the last of its process to get here
 *
 * Context: may sleep.
 */
void __perf_counter_exit_task(struct task_struct *task, bool last)
{
	struct perf_counter_ctx *ctx;

	if (last && task->mm)
		perf_counter_mm_left(task->mm);
	ctx = task_ctx_take(task);
	/* After this record its own counters have nothing more to say of it. */
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_TASK]))
		perf_counter_record_exit(ctx);
	if (ctx)
		ctx_end(ctx);
	perf_counter_disown(task);
	if (unlikely(rcu_access_pointer(task->perf_counter_stack)))
		perf_counter_stack_exit();
}

/**
 * perf_counter_ctx_enable_on_exec() - Switch on what waits in a context for an exec
 * @ctx: the context of the current task
 *
 * The counters are loaded together when all are on. A pinned group that finds no room has its
 * PMU sort in all groups, and that is to happen once, not for each of them.
 *
 * Context: IRQs off, ctx->lock held.
 */
void perf_counter_ctx_enable_on_exec(struct perf_counter_ctx *ctx)
{
	u64 now = perf_counter_ctx_time(ctx);
	struct perf_counter *counter;
	bool load = false;

	lockdep_assert_held(&ctx->lock);
	list_for_each_entry(counter, &ctx->counters, ctx_node) {
		if (!counter->enable_on_exec)
			continue;
		counter->enable_on_exec = false;
		load |= perf_counter_enable_unloaded(counter, now);
	}
	if (load && ctx->live_cpu >= 0)
		perf_counter_ctx_reload(ctx, now);
}

static bool ctx_has_remove_on_exec(struct perf_counter_ctx *ctx)
{
	struct perf_counter *counter;

	lockdep_assert_held(&ctx->lock);
	list_for_each_entry(counter, &ctx->counters, ctx_node) {
		if (counter->desc->attr.remove_on_exec)
			return true;
	}
	return false;
}

/**
 * __perf_counter_exec() - Switch on, and remove, what waits for the current task's exec
 *
 * Context: may sleep.
 */
void __perf_counter_exec(void)
{
	struct perf_counter_ctx *ctx = current->perf_counter_ctx;
	bool remove;

	raw_spin_lock_irq(&ctx->lock);
	perf_counter_ctx_enable_on_exec(ctx);
	remove = ctx_has_remove_on_exec(ctx);
	raw_spin_unlock_irq(&ctx->lock);
	if (remove)
		ctx_end_on_exec(ctx);
}

/**
 * perf_counter_task_ctx_get() - the context of a task, made if need be
 * @task: the task
 *
 * Context: may sleep.
 * Return: the context with a reference; -ESRCH when the task is ending;
 * -ENOMEM.
 */
struct perf_counter_ctx *perf_counter_task_ctx_get(struct task_struct *task)
{
	struct perf_counter_ctx *ctx, *new;

again:
	rcu_read_lock();
	ctx = READ_ONCE(task->perf_counter_ctx);
	if (ctx && !refcount_inc_not_zero(&ctx->refs))
		ctx = NULL;
	rcu_read_unlock();
	if (ctx)
		return ctx;

	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return ERR_PTR(-ENOMEM);
	perf_counter_ctx_init(new, task);
	/* One reference for the task, one for the caller. */
	refcount_inc(&new->refs);
	/*
	 * Fully ordered: the context before the look at PF_EXITING. Partner:
	 * perf_counter_exit_task(), which sets one and then looks for the
	 * other, so not both can be missed.
	 */
	if (cmpxchg(&task->perf_counter_ctx, NULL, new)) {
		/* Another opener was faster. Have what it made. */
		kfree(new);
		goto again;
	}
	if (READ_ONCE(task->flags) & PF_EXITING) {
		/* The task may be about to take it, or have looked before it was there. */
		__perf_counter_drop_task(task);
		perf_counter_ctx_put(new);
		return ERR_PTR(-ESRCH);
	}
	return new;
}
