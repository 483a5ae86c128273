/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a task: its counters, the descriptors that it opened, and what is stored for its
 * next record.
 *
 * task_struct has one pointer to the state, task->perf_counter. The pointer is NULL until the task
 * needs a state:
 *
 *   - A task that opens a descriptor, is counted, inherits a counter, or needs memory for its call
 *     stack gets its state then, from a function that may sleep.
 *   - The scheduler and an exit store something for every task while a descriptor of CPUs wants
 *     it. They cannot allocate memory. The open of the first such descriptor gives each task a
 *     state, and each fork gives one to the child; see context/task_state.c. Idle tasks get none,
 *     because nothing is stored for them.
 *
 * Every hook has to expect a task without a state. Such a task has no counter, and no descriptor
 * wants what the hook would store.
 *
 * A state is stored once, with all its fields initialized, and freed with its task_struct. A caller
 * that may use the task_struct may therefore use the state: the task itself in any context, NMI
 * included, an RCU reader that has found the task, and the holder of a reference. A state needs no
 * reference and no lock of its own. dup_task_struct() sets the pointer of the new task to NULL
 * before the task can be freed.
 *
 * The value PERF_COUNTER_FORKING takes the place of the pointer while a task without a state forks.
 * The task that gives a state to the forking task thereby learns of the fork.
 */
#ifndef _PERF_COUNTER_COUNTER_TASK_H
#define _PERF_COUNTER_COUNTER_TASK_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/types.h>

struct perf_counter_call_stack;
struct perf_counter_ctx;

/**
 * struct perf_counter_task - the state of a task
 * @ctx: context of the task, or NULL. A task that may sleep stores a context with cmpxchg();
 *	ctx->lock of the old context guards the change back to NULL. Read without a lock; RCU keeps
 *	the context
 * @block: context whose memory the state is in, with a reference to it; NULL: the state has memory
 *	of its own. Written before the state is stored
 * @stack: recorded call stack of the task, or NULL. Changed with cmpxchg() and xchg(), freed after
 *	an RCU grace period
 * @forks: number of begins and ends of forks, odd during a fork. Only the task itself changes it
 * @owned: descriptors that the task opened
 * @owned.mutex: guards @owned.descs, and the owner of each descriptor on the list
 * @owned.descs: the list; only the task itself adds to it
 * @exit: parent of the task, for the EXIT record. The exiting task writes it once, and the CPU that
 *	switches away from the task for the last time reads it
 * @exit.ppid: process id of the parent in the initial namespace
 * @exit.ptid: thread id of the parent in the initial namespace
 * @exit.done: flag: the task has exited, and the ids of the parent are stored
 * @off_cpu: the last stop of the task; rq->lock guards it. A read of a counter reads it without
 *	that lock, while ctx->lock keeps the task from running
 * @off_cpu.since: perf_counter_clock() when the task stopped running, ns
 * @off_cpu.reason: enum perf_counter_off_cpu_reason
 * @migrated: flag: the scheduler has moved the task to another CPU, where it has not run yet.
 *	task->pi_lock or rq->lock guards it
 */
struct perf_counter_task {
	struct perf_counter_ctx			*ctx;
	struct perf_counter_ctx			*block;
	struct perf_counter_call_stack __rcu	*stack;
	u32					forks;
	struct {
		struct mutex			mutex;	/* descriptors */
		struct list_head		descs;
	} owned;
	struct {
		u32				ppid;
		u32				ptid;
		bool				done;
	} exit;
	struct {
		u64				since;
		u32				reason;
	} off_cpu;
	bool					migrated;
};

/* The pointer of a task that forks and has no state. It is less than every address of a state. */
#define PERF_COUNTER_FORKING	((struct perf_counter_task *)1)

/* Return the state of @task, or NULL. Any context. */
static __always_inline struct perf_counter_task *
perf_counter_task_state(const struct task_struct *task)
{
	struct perf_counter_task *state = READ_ONCE(task->perf_counter);

	return (unsigned long)state > (unsigned long)PERF_COUNTER_FORKING ? state : NULL;
}

/*
 * Return the context of @task, or NULL. The caller is in an RCU read-side section, or has another
 * reason why the context stays.
 */
static __always_inline struct perf_counter_ctx *
perf_counter_task_ctx(const struct task_struct *task)
{
	struct perf_counter_task *state = perf_counter_task_state(task);

	return state ? READ_ONCE(state->ctx) : NULL;
}

/*
 * Return the call stack of @task, or NULL. The caller is in an RCU read-side section, or has IRQs
 * off and @task is the current task.
 */
static inline struct perf_counter_call_stack *
perf_counter_task_stack(const struct task_struct *task)
{
	struct perf_counter_task *state = perf_counter_task_state(task);

	return state ? rcu_dereference_check(state->stack, irqs_disabled()) : NULL;
}

#endif /* _PERF_COUNTER_COUNTER_TASK_H */
