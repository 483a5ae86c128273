// SPDX-License-Identifier: GPL-2.0
/*
 * The context of a task: from its first counter to the exit of the task, when the counts are
 * added to the descriptors. Also the work of an exec.
 */

#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "internal.h"

/* Detach @counter of @desc for ctx_end_counter(). desc->mutex held. */
static __always_inline void ctx_end_counter_locked(struct perf_counter_ctx *ctx,
						   struct perf_counter *counter,
						   struct perf_counter_desc *desc)
{
	struct perf_counter_value value;

	if (counter->ctx != ctx)
		return;
	/*
	 * A failed fork writes no READ record, and neither does another task that detaches the
	 * context.
	 */
	if (desc->attr.inherit_stat && counter != &desc->first && ctx->task == current)
		perf_counter_output_read(counter, ctx->task);

	raw_spin_lock_irq(&ctx->lock);
	perf_counter_value_of(counter, perf_counter_ctx_time(ctx), &value);
	atomic64_add(value.count, &desc->exited.count);
	/* Pairs with the smp_rmb() in desc_lone_count(). */
	smp_wmb();
	perf_counter_detach(counter);
	raw_spin_unlock_irq(&ctx->lock);

	desc->exited.enabled += value.enabled;
	desc->exited.running += value.running;
	list_del(&counter->desc_node);
	if (list_empty(&desc->counters))
		wake_up_all(&desc->writer.waitq);
}

/* Do the work of ctx_end_counter() for a member of a group. */
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
 * Detach @counter and add its count to the exited counts of @desc, unless the descriptor was
 * closed meanwhile. For a member, the leader's mutex is held: a group read, which holds it, then
 * sees no task exit.
 */
static __always_inline void ctx_end_counter(struct perf_counter_ctx *ctx,
					    struct perf_counter *counter,
					    struct perf_counter_desc *desc)
{
	if (rcu_access_pointer(desc->group.leader) != desc) {
		ctx_end_member(ctx, counter, desc);
		return;
	}
	/*
	 * A descriptor joins a group only when it is opened: @desc is still a leader or in no
	 * group.
	 */
	mutex_lock(&desc->mutex);
	ctx_end_counter_locked(ctx, counter, desc);
	mutex_unlock(&desc->mutex);
}

/*
 * Return the last counter of @ctx, with a reference to its descriptor, or NULL. An exit detaches
 * counters from the end of the list, so that members leave before their leader: a reader takes the
 * exit of the leader for the exit of the group.
 */
static struct perf_counter *ctx_last_counter(struct perf_counter_ctx *ctx)
{
	struct perf_counter *counter = NULL;

	raw_spin_lock_irq(&ctx->lock);
	if (!list_empty(&ctx->counters)) {
		counter = list_last_entry(&ctx->counters, struct perf_counter, ctx_node);
		/* A counter on the list keeps a reference to its descriptor. */
		refcount_inc(&counter->desc->refs);
	}
	raw_spin_unlock_irq(&ctx->lock);
	return counter;
}

/*
 * Mark @counter as seen by this exec and, if it is still in @ctx, move it to the front of the
 * list.
 */
static void ctx_put_first(struct perf_counter_ctx *ctx, struct perf_counter *counter)
{
	raw_spin_lock_irq(&ctx->lock);
	counter->exec_gen = ctx->exec_gen;
	if (counter->ctx == ctx)
		list_move(&counter->ctx_node, &ctx->counters);
	raw_spin_unlock_irq(&ctx->lock);
}

/* Detach all counters of @ctx. */
static void ctx_end_counters(struct perf_counter_ctx *ctx)
{
	struct perf_counter_desc *desc;
	struct perf_counter *counter;

	mutex_lock(&ctx->mutex);
	/* Pairs with the release in perf_counter_detach(). */
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
 * Detach those counters of @ctx, the context of the current task, that an exec removes. Each
 * counter is visited once, from the end of the list: it is detached or moved to the front, so that
 * the order is kept. Each exec flips ctx->exec_gen, and a visited counter gets the new value. A
 * task that is being killed leaves the remaining counters to its exit.
 */
static void ctx_end_on_exec(struct perf_counter_ctx *ctx)
{
	struct perf_counter_desc *desc;
	struct perf_counter *counter;
	bool done = false;

	mutex_lock(&ctx->mutex);
	ctx->exec_gen = !ctx->exec_gen;
	while (!done) {
		counter = ctx_last_counter(ctx);
		if (!counter)
			break;
		desc = counter->desc;
		cond_resched();
		done = counter->exec_gen == ctx->exec_gen || fatal_signal_pending(current);
		if (!done && desc->attr.remove_on_exec)
			ctx_end_counter(ctx, counter, desc);
		else if (!done)
			ctx_put_first(ctx, counter);
		perf_counter_desc_put(desc);
	}
	mutex_unlock(&ctx->mutex);
}

/* Detach all counters of @ctx, and drop the reference of its task. */
static void ctx_end(struct perf_counter_ctx *ctx)
{
	ctx_end_counters(ctx);
	perf_counter_ctx_put(ctx);
}

/* Arguments of ctx_take_fn(). @taken: result: the caller has got the task's reference. */
struct ctx_take {
	struct perf_counter_ctx	*ctx;
	bool			taken;
};

/*
 * Clear the task's pointer to the context and stop the context, in one section of ctx->lock: only
 * one caller gets the task's reference, and a live context is stopped on its CPU.
 */
static void ctx_take_fn(void *arg)
{
	struct ctx_take *take = arg;
	struct perf_counter_ctx *ctx = take->ctx;
	struct perf_counter_task *state = perf_counter_task_state(ctx->task);

	lockdep_assert_held(&ctx->lock);
	take->taken = state->ctx == ctx;
	if (!take->taken)
		return;
	WRITE_ONCE(state->ctx, NULL);
	perf_counter_ctx_stop(ctx);
	WRITE_ONCE(ctx->live_cpu, CTX_DEAD);
}

/* Take the context from @task, or return NULL. No event of the task counts from here on. */
static struct perf_counter_ctx *task_ctx_take(struct task_struct *task)
{
	struct ctx_take take = {};

	/* RCU keeps the context if another caller takes it first and drops its reference. */
	guard(rcu)();
	take.ctx = perf_counter_task_ctx(task);
	if (take.ctx)
		perf_counter_ctx_call(take.ctx, ctx_take_fn, &take, true);
	return take.taken ? take.ctx : NULL;
}

/**
 * perf_counter_drop_task() - Detach all counters of a task
 * @task: the current task, or a task that never ran or is exiting
 *
 * Context: may sleep.
 */
void perf_counter_drop_task(struct task_struct *task)
{
	struct perf_counter_ctx *ctx = task_ctx_take(task);

	if (ctx)
		ctx_end(ctx);
}

/**
 * __perf_counter_exit_task() - Detach all counters of the current task
 * @task: the current task, which exits, or which an exec gives other credentials
 *
 * Context: may sleep.
 */
void __perf_counter_exit_task(struct task_struct *task)
{
	struct perf_counter_ctx *ctx;

	if (!(task->flags & PF_EXITING)) {
		perf_counter_drop_task(task);
		return;
	}
	ctx = task_ctx_take(task);
	/* No record of the task's own counters follows: the context has been taken. */
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_TASK]))
		perf_counter_record_exit(ctx);
	if (ctx)
		ctx_end(ctx);
	perf_counter_disown(task);
	perf_counter_stack_exit();
}

/**
 * perf_counter_ctx_enable_on_exec() - Enable a context's counters that have enable_on_exec
 * @ctx: context of the current task
 *
 * The counters are loaded together after all are enabled: a pinned group that finds no room makes
 * its PMU sort all groups, which should be done once and not for each such group.
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
 * __perf_counter_exec() - Enable and remove counters of the current task at an exec
 *
 * Context: may sleep.
 */
void __perf_counter_exec(void)
{
	struct perf_counter_ctx *ctx = perf_counter_task_ctx(current);
	bool remove;

	if (!ctx)
		return;
	raw_spin_lock_irq(&ctx->lock);
	perf_counter_ctx_enable_on_exec(ctx);
	remove = ctx_has_remove_on_exec(ctx);
	raw_spin_unlock_irq(&ctx->lock);
	if (remove)
		ctx_end_on_exec(ctx);
}

/**
 * perf_counter_task_ctx_get() - Get the context of a task, or create one
 * @task: the task
 *
 * Context: may sleep.
 * Return: the context with a reference; -ESRCH when the task is exiting; -ENOMEM.
 */
struct perf_counter_ctx *perf_counter_task_ctx_get(struct task_struct *task)
{
	struct perf_counter_task *state = perf_counter_state_get(task);
	struct perf_counter_ctx *ctx, *new;

	if (!state)
		return ERR_PTR(-ENOMEM);
again:
	rcu_read_lock();
	ctx = READ_ONCE(state->ctx);
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
	 * Fully ordered: store the context, then read PF_EXITING. Pairs with
	 * perf_counter_exit_task(), which sets PF_EXITING and then reads the state: at least one
	 * of the two sees the other's store.
	 */
	if (cmpxchg(&state->ctx, NULL, new)) {
		/* Another open has stored a context: use that one. */
		kfree(new);
		goto again;
	}
	if (READ_ONCE(task->flags) & PF_EXITING) {
		/*
		 * The exiting task may have missed the new context and left it attached, or may
		 * have detached it. Detach it here if it is still attached.
		 */
		perf_counter_drop_task(task);
		perf_counter_ctx_put(new);
		return ERR_PTR(-ESRCH);
	}
	return new;
}
