// SPDX-License-Identifier: GPL-2.0
/*
 * Descriptors whose samples have branches: they hold the PMU whose recorder that is, whatever
 * they count. And the calls that tasks have not returned from: who has memory for them.
 *
 * What the hardware records of calls would be lost at each context switch. It belongs to
 * the task, whoever monitors it: the task alone, a CPU, the machine. So every task has room
 * for its own while somebody monitors all, and otherwise who is monitored itself, and its
 * children. An open for which there is no memory fails. The child of a fork that gets no memory
 * is seen with shallower stacks.
 */

#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "../counter/recorder.h"
#include "internal.h"

static struct kmem_cache *stack_cache __ro_after_init;

/* Descriptors whose samples have stacks; of them, those that are about all tasks. */
static DEFINE_MUTEX(stacks_mutex);
static unsigned int stack_users;
static unsigned int stack_users_all;

static void stack_take(struct task_struct *task)
{
	struct perf_counter_branch_stack *stack;

	stack = unrcu_pointer(xchg(&task->perf_counter_stack, NULL));
	if (stack)
		kfree_rcu(stack, rcu);
}

/**
 * perf_counter_stack_give() - give a task room for its calls
 * @task: the task; the caller has a reference
 *
 * Context: may sleep.
 * Return: 0, also for a task that needs none; -ENOMEM.
 */
int perf_counter_stack_give(struct task_struct *task)
{
	struct perf_counter_branch_stack *stack;

	if (rcu_access_pointer(task->perf_counter_stack) || !perf_counter_has_user_mode(task))
		return 0;
	stack = kmem_cache_zalloc(stack_cache, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!stack)
		return -ENOMEM;
	stack->cpu = -1;
	/*
	 * Fully ordered: the stack before the look at PF_EXITING. Partner:
	 * perf_counter_exit_task(), which sets one and then looks for the other.
	 */
	if (cmpxchg((__force struct perf_counter_branch_stack **)&task->perf_counter_stack, NULL,
		    stack))
		kmem_cache_free(stack_cache, stack);
	else if (READ_ONCE(task->flags) & PF_EXITING)
		stack_take(task);
	return 0;
}

/* The next task from the number @nr on, with a reference; @nr goes on behind it. */
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

/* Give room to all tasks, until there is no memory for one. */
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

/* Drop what stacks_get() has got for @desc. stacks_mutex held. */
static void stacks_drop(const struct perf_counter_desc *desc)
{
	lockdep_assert_held(&stacks_mutex);
	if (!desc->task)
		WRITE_ONCE(stack_users_all, stack_users_all - 1);
	if (!--stack_users)
		stacks_take();
}

/* Let the samples of @desc have stacks. May sleep. Returns 0 or -ENOMEM. */
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
	 * The number before the look at the tasks: a fork whose child is not seen sees the number.
	 * Partner: perf_counter_stack_fork().
	 */
	smp_mb();
	err = stacks_give();
	if (err)
		stacks_drop(desc);
	return err;
}

/* The samples of @desc have stacks no longer. May sleep. */
static void stacks_put(const struct perf_counter_desc *desc)
{
	guard(mutex)(&stacks_mutex);
	stacks_drop(desc);
}

/**
 * perf_counter_stack_fork() - the child of a fork has room for its calls if its parent has
 * @child: the child, which can be seen, and does not run yet
 *
 * Context: may sleep.
 */
void perf_counter_stack_fork(struct task_struct *child)
{
	/* The child can be seen. Partner: stacks_get(). */
	smp_mb();
	if (READ_ONCE(stack_users_all) || rcu_access_pointer(current->perf_counter_stack))
		perf_counter_stack_give(child);
}

/**
 * perf_counter_stack_exit() - the current task has none any more
 *
 * Context: may sleep.
 */
void perf_counter_stack_exit(void)
{
	stack_take(current);
}

/* === Descriptors === */

/* Whose recorder it is, if there is one. */
static const struct perf_counter_pmu *recorder_pmu;

/**
 * perf_counter_set_recorder_pmu() - Say which PMU has a recorder of branches
 * @pmu: the PMU, with its @hold and @let_go; NULL: none has
 * @recorder: its recorder; NULL likewise
 *
 * Context: as perf_counter_set_recorder().
 * Return: the PMU until now, for tests to put back; NULL: there was none.
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
 * perf_counter_branches_open() - have branches for a descriptor's samples
 * @desc: the descriptor, with its PMU, whose attr asks for them
 *
 * Context: may sleep.
 * Return: 0, or what the program gets.
 */
int perf_counter_branches_open(struct perf_counter_desc *desc)
{
	int err = perf_counter_branches_init(desc);

	if (err || !desc->branches)
		return err;
	if (desc->pmu != recorder_pmu) {
		err = recorder_pmu->hold(recorder_pmu);
		if (err)
			return err;
		desc->needs_load = true;
	}
	if (desc->branches & PERF_COUNTER_BRANCH_STACK)
		err = stacks_get(desc);
	if (err && desc->pmu != recorder_pmu)
		recorder_pmu->let_go(recorder_pmu);
	return err;
}

/**
 * perf_counter_branches_close() - it has no samples any more
 * @desc: the descriptor, whose samples had branches
 *
 * Context: may sleep.
 */
void perf_counter_branches_close(const struct perf_counter_desc *desc)
{
	if (desc->branches & PERF_COUNTER_BRANCH_STACK)
		stacks_put(desc);
	if (desc->pmu != recorder_pmu)
		recorder_pmu->let_go(recorder_pmu);
}

static int __init branch_init(void)
{
	stack_cache = kmem_cache_create("perf_counter_branch_stack",
					sizeof(struct perf_counter_branch_stack), 0,
					SLAB_PANIC | SLAB_ACCOUNT, NULL);
	return 0;
}
core_initcall(branch_init);
