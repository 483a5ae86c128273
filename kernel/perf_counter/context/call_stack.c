// SPDX-License-Identifier: GPL-2.0
/*
 * Memory for the call stacks that the hardware records for tasks. Also counts the descriptors that
 * need the recorder's PMU for the branch records of their samples, although they count on another
 * PMU.
 *
 * At a context switch, the call stack that the hardware has recorded is saved with the task, for
 * counters of the task, of a CPU and of the machine. While a descriptor counts all tasks, all
 * tasks have memory for their call stack; otherwise only the counted tasks and their children have
 * it. An open fails if the memory cannot be allocated. A forked child for which the allocation
 * fails has shallower call stacks.
 */

#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "../counter/recorder.h"
#include "internal.h"

static struct kmem_cache *stack_cache __ro_after_init;

/*
 * Guards stack_users, the number of descriptors whose samples have call stacks, and
 * stack_users_all, the number of such descriptors that count all tasks.
 */
static DEFINE_MUTEX(stacks_mutex);
static unsigned int stack_users;
static unsigned int stack_users_all;

static void stack_take(struct task_struct *task)
{
	struct perf_counter_task *state = perf_counter_task_state(task);
	struct perf_counter_call_stack *stack;

	if (!state)
		return;
	stack = unrcu_pointer(xchg(&state->stack, NULL));
	if (stack)
		kfree_rcu(stack, rcu);
}

/**
 * perf_counter_stack_give() - Allocate the call stack of a task, if the task needs one
 * @task: the task; the caller has a reference
 *
 * Context: may sleep.
 * Return: 0, also for a task that needs none; -ENOMEM.
 */
int perf_counter_stack_give(struct task_struct *task)
{
	struct perf_counter_call_stack *stack;
	struct perf_counter_task *state;

	if (!perf_counter_has_user_mode(task))
		return 0;
	state = perf_counter_state_get(task);
	if (!state)
		return -ENOMEM;
	if (rcu_access_pointer(state->stack))
		return 0;
	stack = kmem_cache_zalloc(stack_cache, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!stack)
		return -ENOMEM;
	stack->cpu = -1;
	/*
	 * Fully ordered: store the stack, then read PF_EXITING. Pairs with
	 * perf_counter_exit_task(), which sets PF_EXITING and then reads the state.
	 */
	if (cmpxchg((__force struct perf_counter_call_stack **)&state->stack, NULL, stack))
		kmem_cache_free(stack_cache, stack);
	else if (READ_ONCE(task->flags) & PF_EXITING)
		stack_take(task);
	return 0;
}

/*
 * Return the first task with a pid of at least @nr, with a reference, or NULL. Set @nr to the pid
 * of that task plus 1.
 */
static struct task_struct *next_task_from(int *nr)
{
	struct task_struct *task;
	struct pid *pid;

	guard(rcu)();
	while ((pid = find_ge_pid(*nr, &init_pid_ns))) {
		*nr = pid_nr(pid) + 1;
		task = pid_task(pid, PIDTYPE_PID);
		if (task)
			return get_task_struct(task);
	}
	return NULL;
}

/* Allocate call stacks for all tasks. Returns 0 or -ENOMEM. */
static int stacks_give(void)
{
	struct task_struct *task;
	int nr = 1, err = 0;

	while (!err && (task = next_task_from(&nr))) {
		err = perf_counter_stack_give(task);
		put_task_struct(task);
		cond_resched();
	}
	return err;
}

static void stacks_take(void)
{
	struct task_struct *task;
	int nr = 1;

	while ((task = next_task_from(&nr))) {
		stack_take(task);
		put_task_struct(task);
		cond_resched();
	}
}

/* Undo stacks_get() of @desc. stacks_mutex held. */
static void stacks_drop(const struct perf_counter_desc *desc)
{
	lockdep_assert_held(&stacks_mutex);
	if (!desc->task)
		WRITE_ONCE(stack_users_all, stack_users_all - 1);
	if (!--stack_users)
		stacks_take();
}

/* Allocate the call stacks that samples of @desc need. May sleep. Returns 0 or -ENOMEM. */
static int stacks_get(const struct perf_counter_desc *desc)
{
	int err;

	guard(mutex)(&stacks_mutex);
	stack_users++;
	if (desc->task)
		return 0;
	WRITE_ONCE(stack_users_all, stack_users_all + 1);
	if (stack_users_all > 1)
		return 0;
	/*
	 * Store the number before looking for tasks. A child that the search does not find becomes
	 * visible later, and its fork then reads the new number. Pairs with the smp_mb() in
	 * perf_counter_stack_fork().
	 */
	smp_mb();
	err = stacks_give();
	if (err)
		stacks_drop(desc);
	return err;
}

/* Release the call stacks that samples of @desc needed. May sleep. */
static void stacks_put(const struct perf_counter_desc *desc)
{
	guard(mutex)(&stacks_mutex);
	stacks_drop(desc);
}

/**
 * perf_counter_stack_fork() - Allocate the call stack of a forked child, if its parent has one
 * @child: the child, which is visible, and does not run yet
 *
 * Context: may sleep.
 */
void perf_counter_stack_fork(struct task_struct *child)
{
	struct perf_counter_task *state;

	/*
	 * Make the child visible before reading the number. Pairs with the smp_mb() in
	 * stacks_get().
	 */
	smp_mb();
	state = perf_counter_task_state(current);
	if (READ_ONCE(stack_users_all) || (state && rcu_access_pointer(state->stack)))
		perf_counter_stack_give(child);
}

/**
 * perf_counter_stack_exit() - Free the call stack of the current task
 *
 * Context: may sleep.
 */
void perf_counter_stack_exit(void)
{
	stack_take(current);
}

/* === Descriptors === */

/* PMU that has the branch recorder; NULL: none. */
static const struct perf_counter_pmu *recorder_pmu;

/**
 * perf_counter_set_recorder_pmu() - Set the PMU that has the branch recorder
 * @pmu: PMU with @recorder_get and @recorder_put; NULL: none
 * @recorder: recorder of @pmu; NULL: none
 *
 * Context: an initcall, or a test; no descriptor has branches.
 * Return: the previous PMU, or NULL.
 */
const struct perf_counter_pmu *
perf_counter_set_recorder_pmu(const struct perf_counter_pmu *pmu,
			      const struct perf_counter_recorder *recorder)
{
	const struct perf_counter_pmu *old = recorder_pmu;

	recorder_pmu = pmu;
	perf_counter_set_recorder(recorder);
	return old;
}

/**
 * perf_counter_branches_open() - Prepare a descriptor whose samples have branches
 * @desc: the descriptor, with its PMU
 *
 * Context: may sleep.
 * Return: 0 or the error for the open.
 */
int perf_counter_branches_open(struct perf_counter_desc *desc)
{
	int err = perf_counter_branches_init(desc);

	if (err || !desc->records.branches)
		return err;
	if (desc->pmu != recorder_pmu) {
		err = recorder_pmu->recorder_get(recorder_pmu);
		if (err)
			return err;
		desc->needs_load = true;
	}
	if (desc->records.branches & PERF_COUNTER_BRANCH_CALL_STACK)
		err = stacks_get(desc);
	if (err && desc->pmu != recorder_pmu)
		recorder_pmu->recorder_put(recorder_pmu);
	return err;
}

/**
 * perf_counter_branches_close() - Undo perf_counter_branches_open()
 * @desc: the descriptor, which takes no samples any more
 *
 * Context: may sleep.
 */
void perf_counter_branches_close(const struct perf_counter_desc *desc)
{
	if (desc->records.branches & PERF_COUNTER_BRANCH_CALL_STACK)
		stacks_put(desc);
	if (desc->pmu != recorder_pmu)
		recorder_pmu->recorder_put(recorder_pmu);
}

static int __init branch_init(void)
{
	stack_cache = kmem_cache_create("perf_counter_call_stack",
					sizeof(struct perf_counter_call_stack), 0,
					SLAB_PANIC | SLAB_ACCOUNT, NULL);
	return 0;
}
core_initcall(branch_init);
