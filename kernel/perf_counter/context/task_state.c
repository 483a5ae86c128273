// SPDX-License-Identifier: GPL-2.0
/*
 * Allocating and freeing the states of tasks; counter/task.h has the rules.
 *
 * While a descriptor of CPUs wants something stored for every task, each task has a state. Tasks
 * that fork meanwhile give one to their child. The others get theirs from the open of the first
 * such descriptor, which fails if there is no memory. States are not taken back: they are freed
 * with their tasks.
 */

#include <linux/list.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "internal.h"

static struct kmem_cache *state_cache __ro_after_init;

/* Guards the changes of perf_counter_state_users. */
static DEFINE_MUTEX(states_mutex);

/* Number of descriptors that need every task to have a struct perf_counter_task. */
unsigned int perf_counter_state_users __read_mostly;

/* Prepare @state, which is zeroed. */
static void state_prepare(struct perf_counter_task *state)
{
	mutex_init(&state->owned.mutex);
	INIT_LIST_HEAD(&state->owned.descs);
}

static struct perf_counter_task *state_alloc(gfp_t gfp)
{
	struct perf_counter_task *state;

	state = kmem_cache_zalloc(state_cache, GFP_KERNEL_ACCOUNT | gfp);
	if (state)
		state_prepare(state);
	return state;
}

/*
 * Store @new as the state of @task, unless the task has one. If the task is forking, the number of
 * forks becomes odd, and the fork makes it even when it ends. Fully ordered. Returns the state of
 * the task.
 */
static struct perf_counter_task *state_store(struct task_struct *task,
					     struct perf_counter_task *new)
{
	struct perf_counter_task *old = READ_ONCE(task->perf_counter);

	do {
		if (old && old != PERF_COUNTER_FORKING)
			return old;
		new->forks = old == PERF_COUNTER_FORKING;
	} while (!try_cmpxchg(&task->perf_counter, &old, new));
	return new;
}

static struct perf_counter_task *state_get(struct task_struct *task, gfp_t gfp)
{
	struct perf_counter_task *state = perf_counter_task_state(task), *new;

	if (state)
		return state;
	new = state_alloc(gfp);
	if (!new)
		return NULL;
	state = state_store(task, new);
	if (state != new)
		kmem_cache_free(state_cache, new);
	return state;
}

/**
 * perf_counter_state_get() - Get the state of a task, or give it one
 * @task: the current task, its new child, or a task to which the caller has a reference
 *
 * Context: may sleep.
 * Return: the state, which stays as long as the task_struct; NULL if there is no memory.
 */
struct perf_counter_task *perf_counter_state_get(struct task_struct *task)
{
	return state_get(task, 0);
}

/**
 * perf_counter_state_in_block() - Give a child a state that is allocated together with a context
 * @child: child of the current task, without a state, not visible to other tasks yet
 * @state: the state, zeroed
 * @ctx: context; freeing it frees the memory of @state, too. The state takes a reference
 */
void perf_counter_state_in_block(struct task_struct *child, struct perf_counter_task *state,
				 struct perf_counter_ctx *ctx)
{
	state_prepare(state);
	refcount_inc(&ctx->refs);
	state->block = ctx;
	WRITE_ONCE(child->perf_counter, state);
}

/* Give the states in @pool to tasks without one. Returns the number of tasks still without one. */
static unsigned int states_hand_out(struct list_head *pool)
{
	struct task_struct *process, *task;
	struct perf_counter_task *state;
	unsigned int missing = 0;

	guard(rcu)();
	for_each_process_thread(process, task) {
		if (perf_counter_task_state(task))
			continue;
		if (list_empty(pool)) {
			missing++;
			continue;
		}
		state = list_first_entry(pool, struct perf_counter_task, owned.descs);
		list_del_init(&state->owned.descs);
		if (state_store(task, state) != state)
			list_add(&state->owned.descs, pool);
	}
	return missing;
}

/* Add @nr states to @pool. Returns 0; -ENOMEM; -EINTR if the current task is being killed. */
static int states_alloc(struct list_head *pool, unsigned int nr)
{
	struct perf_counter_task *state;

	while (nr--) {
		state = state_alloc(0);
		if (!state)
			return -ENOMEM;
		list_add(&state->owned.descs, pool);
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

/* Give a state to each task that is visible. Returns 0, -ENOMEM or -EINTR. */
static int states_give(void)
{
	struct perf_counter_task *state, *next;
	unsigned int missing;
	LIST_HEAD(pool);
	int err = 0;

	while (!err && (missing = states_hand_out(&pool)))
		err = states_alloc(&pool, missing);
	list_for_each_entry_safe(state, next, &pool, owned.descs)
		kmem_cache_free(state_cache, state);
	return err;
}

/**
 * perf_counter_states_open() - Give a state to all tasks, now and from now on
 *
 * Context: may sleep; takes states_mutex.
 * Return: 0; -ENOMEM; -EINTR.
 */
int perf_counter_states_open(void)
{
	int err;

	guard(mutex)(&states_mutex);
	WRITE_ONCE(perf_counter_state_users, perf_counter_state_users + 1);
	if (perf_counter_state_users > 1)
		return 0;
	/*
	 * Store the number before looking for tasks. A child that the search does not find becomes
	 * visible later, and its fork then reads the new number. Pairs with the full barrier in
	 * perf_counter_fork().
	 */
	smp_mb();
	err = states_give();
	if (err)
		WRITE_ONCE(perf_counter_state_users, perf_counter_state_users - 1);
	return err;
}

/**
 * perf_counter_states_close() - Undo perf_counter_states_open()
 *
 * Context: may sleep; takes states_mutex.
 */
void perf_counter_states_close(void)
{
	guard(mutex)(&states_mutex);
	WRITE_ONCE(perf_counter_state_users, perf_counter_state_users - 1);
}

/**
 * perf_counter_state_fork() - Give a state to a child whose fork began before all tasks got one
 * @child: the child, which is visible, and does not run yet
 *
 * The fork cannot fail any more, so this waits until there is memory.
 *
 * Context: may sleep.
 */
void perf_counter_state_fork(struct task_struct *child)
{
	state_get(child, __GFP_NOFAIL);
}

/**
 * __perf_counter_task_freed() - Free the state of a task
 * @task: task that is being freed
 *
 * Context: any but NMI, without a runqueue's lock.
 */
void __perf_counter_task_freed(struct task_struct *task)
{
	struct perf_counter_task *state = perf_counter_task_state(task);

	if (WARN_ON_ONCE(!state))
		return;
	WARN_ON_ONCE(state->ctx || rcu_access_pointer(state->stack) ||
		     !list_empty(&state->owned.descs));
	mutex_destroy(&state->owned.mutex);
	if (state->block)
		perf_counter_ctx_put(state->block);
	else
		kmem_cache_free(state_cache, state);
}

static int __init state_init(void)
{
	state_cache = KMEM_CACHE(perf_counter_task, SLAB_PANIC | SLAB_ACCOUNT);
	return 0;
}
core_initcall(state_init);
