// SPDX-License-Identifier: GPL-2.0
/*
 * Inheritance: the context and the counters that the child of a fork gets.
 *
 * The state, the context and the inherited counters of a child are allocated and freed as one
 * block.
 */

#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "internal.h"

/**
 * struct child_block - block with everything that a child inherits
 * @ctx: context of the child; freeing the context frees the block
 * @state: state of the child, unless the child has another one
 * @counters: child counters, one for each inherited counter of the parent
 */
struct child_block {
	struct perf_counter_ctx		ctx;
	struct perf_counter_task	state;
	struct perf_counter		counters[];
};

/* The context must be at the start of the block, whose address is freed. */
static_assert(!offsetof(struct child_block, ctx));

/* Cache for blocks with a single counter, the usual case. */
static struct kmem_cache *child_block_one_cache __ro_after_init;

/* Copy the state of @parent to @child. ctx->lock of @parent held. */
static void inherit_state(struct perf_counter *child, struct perf_counter *parent)
{
	child->cpu = parent->cpu;
	child->filter = parent->filter & ~FILTER_UNLOADED;
	child->enabled = parent->enabled;
	child->enable_on_exec = parent->enable_on_exec;
	/* In frequency mode, start with the period that the parent counter has adapted. */
	child->sampling.period = parent->sampling.period;
	local64_set(&child->sampling.period_left, parent->sampling.period);
}

/* Attach the child counter @child to @ctx, unless the descriptor is being closed. */
static void inherit_counter(struct perf_counter_ctx *ctx, struct perf_counter *child,
			    struct perf_counter *parent)
{
	struct perf_counter_desc *desc = child->desc;
	struct perf_counter *leader = child;

	mutex_lock(&desc->mutex);
	if (!desc->closed) {
		raw_spin_lock_irq(&parent->ctx->lock);
		inherit_state(child, parent);
		if (parent->group.leader != parent)
			leader = parent->group.leader->fork_peer;
		raw_spin_unlock(&parent->ctx->lock);

		raw_spin_lock(&ctx->lock);
		/*
		 * Leaders come before members: the child leader is attached already, unless its
		 * descriptor is closed.
		 */
		perf_counter_attach(ctx, child, leader->ctx ? leader : child);
		raw_spin_unlock_irq(&ctx->lock);
		list_add_tail(&child->desc_node, &desc->counters);
	}
	mutex_unlock(&desc->mutex);
}

/*
 * Allocate a zeroed block for @nr counters, which kvfree_rcu() can free. Returns NULL if the
 * allocation fails.
 */
static struct child_block *child_block_alloc(unsigned int nr)
{
	size_t size = struct_size_t(struct child_block, counters, nr);
	struct child_block *block;

	if (nr == 1)
		block = kmem_cache_alloc(child_block_one_cache, GFP_KERNEL);
	else
		block = kvmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	/* Do not use kvzalloc(): it also clears the bytes by which the allocator rounds up. */
	return block ? memset(block, 0, size) : NULL;
}

/*
 * Allocate the tables that the @nr counters need in the child's context. The events of the counters
 * say which tables; the lists of the parent's context do not, because groups move between these
 * lists. Frees the block on failure.
 */
static int child_block_prepare(struct child_block *block, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (perf_counter_ctx_prepare(&block->ctx, block->counters[i].desc))
			break;
	}
	if (likely(i == nr))
		return 0;
	for (i = 0; i < nr; i++)
		perf_counter_desc_put(block->counters[i].desc);
	perf_counter_ctx_put(&block->ctx);
	return -ENOMEM;
}

/* Make child counters of @ctx, the context of the current task, for @child. ctx->mutex held. */
static int ctx_inherit(struct perf_counter_ctx *ctx, struct task_struct *child)
{
	struct child_block *block;
	struct perf_counter *counter;
	unsigned int i, nr;
	u64 stream_id;
	int err;

	/* No counter joins while ctx->mutex is held: the number can only shrink. */
	nr = READ_ONCE(ctx->nr_inherit);
	if (!nr)
		return 0;

	block = child_block_alloc(nr);
	if (!block)
		return -ENOMEM;
	perf_counter_ctx_init(&block->ctx, child);

	/* Until a child counter is attached, its @fork_peer points to the parent counter. */
	i = 0;
	raw_spin_lock_irq(&ctx->lock);
	list_for_each_entry(counter, &ctx->counters, ctx_node) {
		if (!counter->desc->attr.inherit)
			continue;
		/* A counter on the list keeps a reference to its descriptor. */
		refcount_inc(&counter->desc->refs);
		counter->fork_peer = &block->counters[i];
		block->counters[i].desc = counter->desc;
		block->counters[i++].fork_peer = counter;
	}
	raw_spin_unlock_irq(&ctx->lock);

	nr = i;
	err = child_block_prepare(block, nr);
	if (err)
		return err;
	if (!perf_counter_task_state(child))
		perf_counter_state_in_block(child, &block->state, &block->ctx);
	stream_id = perf_counter_new_ids(nr);
	for (i = 0; i < nr; i++) {
		struct perf_counter *child_counter = &block->counters[i];
		struct perf_counter_desc *desc = child_counter->desc;

		counter = child_counter->fork_peer;
		child_counter->fork_peer = NULL;
		perf_counter_init_counter(child_counter, desc, stream_id + i);
		inherit_counter(&block->ctx, child_counter, counter);
		perf_counter_desc_put(desc);
		cond_resched();
	}
	perf_counter_task_state(child)->ctx = &block->ctx;
	return 0;
}

/*
 * Begin a fork of the current task. The number of begins and ends is odd during a fork. A task that
 * attaches a counter to the current task publishes the context, and reads the number. Here the
 * number is written, and then the context is read. Both have a full barrier in between, so at
 * least one of them sees what the other wrote. A task without a state has no number: until the fork
 * ends, or another task gives it a state, PERF_COUNTER_FORKING says that it is forking.
 */
static void fork_begins(void)
{
	struct perf_counter_task *state = READ_ONCE(current->perf_counter);

	/* Fully ordered; fails if another task has just stored a state. */
	if (likely(!state) && try_cmpxchg(&current->perf_counter, &state, PERF_COUNTER_FORKING))
		return;
	WRITE_ONCE(state->forks, state->forks + 1);
	/* Pairs with the barrier in perf_counter_wait_for_fork(). */
	smp_mb();
}

/* End a fork of the current task: the child is visible, or will never be. Fully ordered. */
static void fork_ends(void)
{
	struct perf_counter_task *state = READ_ONCE(current->perf_counter);

	/*
	 * A task without a state got no counter during the fork, so no task waits for the end of
	 * the fork.
	 */
	if (likely(state == PERF_COUNTER_FORKING) &&
	    try_cmpxchg(&current->perf_counter, &state, NULL))
		return;
	WRITE_ONCE(state->forks, state->forks + 1);
	/*
	 * Pairs with the barriers in perf_counter_wait_for_fork(), and in the wait: a task that
	 * still sees the old number has published the context, and is seen in the wait queue.
	 */
	smp_mb();
	if (READ_ONCE(state->ctx))
		wake_up_var(&state->forks);
}

/**
 * perf_counter_wait_for_fork() - Wait until the child of a fork in progress is visible
 * @task: another task, to which the current task has attached a counter
 *
 * A fork that began before the counter was attached may not have inherited it. Afterwards, each
 * child of @task has inherited the counter, or is visible to the current task.
 *
 * Context: may sleep; no lock held. Returns early if the current task is being killed.
 */
void perf_counter_wait_for_fork(struct task_struct *task)
{
	struct perf_counter_task *state = perf_counter_task_state(task);
	u32 forks;

	/* Pairs with the barriers in fork_begins() and fork_ends(). */
	smp_mb();
	forks = READ_ONCE(state->forks);
	if (forks & 1)
		wait_var_event_killable(&state->forks, READ_ONCE(state->forks) != forks);
}

/**
 * perf_counter_init_task() - Make child counters for the child of a fork
 * @child: the child, which has no state, and is not visible to other tasks yet
 *
 * perf_counter_fork() or perf_counter_free_task() follows, also after an error.
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int perf_counter_init_task(struct task_struct *child)
{
	struct perf_counter_ctx *ctx;
	int err = 0;

	fork_begins();
	if (unlikely(READ_ONCE(perf_counter_state_users)) && !perf_counter_state_get(child))
		return -ENOMEM;
	ctx = perf_counter_task_ctx(current);
	if (ctx) {
		mutex_lock(&ctx->mutex);
		err = ctx_inherit(ctx, child);
		mutex_unlock(&ctx->mutex);
	}
	return err;
}

/**
 * perf_counter_free_task() - Undo perf_counter_init_task() of a fork that failed
 * @child: child for which perf_counter_init_task() was called; perf_counter_task_freed() follows
 *
 * Context: may sleep.
 */
void perf_counter_free_task(struct task_struct *child)
{
	fork_ends();
	if (perf_counter_task_ctx(child))
		perf_counter_drop_task(child);
}

/**
 * perf_counter_fork() - Finish the inheritance when the child is visible to other tasks
 * @child: the child
 *
 * Context: may sleep.
 */
void perf_counter_fork(struct task_struct *child)
{
	/* The barrier in fork_ends() pairs with the smp_mb() in perf_counter_states_open(). */
	fork_ends();
	if (unlikely(READ_ONCE(perf_counter_state_users)))
		perf_counter_state_fork(child);
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_TASK]))
		perf_counter_record_fork(child);
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_SW_OFF_CPU]))
		perf_counter_off_cpu_new(child);
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_BRANCHES]))
		perf_counter_stack_fork(child);
}

static int __init inherit_init(void)
{
	child_block_one_cache = kmem_cache_create("perf_counter_inherited",
						  struct_size_t(struct child_block, counters, 1), 0,
						  SLAB_PANIC | SLAB_ACCOUNT, NULL);
	return 0;
}
core_initcall(inherit_init);
