/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the rest of the kernel calls: the hooks of perf_counter. Each is a
 * patched-out branch until there is a counter that wants it, and nothing at
 * all without CONFIG_PERF_COUNTERS.
 */
#ifndef _LINUX_PERF_COUNTER_H
#define _LINUX_PERF_COUNTER_H

#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <uapi/linux/perf_event.h>

struct pt_regs;
struct vm_area_struct;

/* Software events that exist, PERF_COUNT_SW_CPU_CLOCK to _DUMMY. */
#define PERF_COUNTER_SW_EVENTS	(PERF_COUNT_SW_DUMMY + 1)

/* What a counter can want from the rest of the kernel; one static key each. */
enum perf_counter_hook {
	PERF_COUNTER_HOOK_SW,		/* PERF_COUNTER_SW_EVENTS of them */
	PERF_COUNTER_HOOK_SCHED = PERF_COUNTER_SW_EVENTS,
	PERF_COUNTER_HOOK_TASK,
	PERF_COUNTER_HOOK_COMM,
	PERF_COUNTER_HOOK_MMAP,
	PERF_COUNTER_HOOKS
};

/* Frames that a call chain holds at most. */
#define PERF_COUNTER_MAX_STACK		127
/* Markers it holds besides: user, kernel. */
#define PERF_COUNTER_MAX_MARKERS	2

/**
 * struct perf_counter_callchain - where the code is, and its callers
 * @nr: entries in @ips
 * @frames_left: how many more frames fit
 * @busy: being collected, or not written yet
 * @ips: markers (PERF_CONTEXT_*), each followed by frames, innermost first
 */
struct perf_counter_callchain {
	u64	nr;
	u32	frames_left;
	bool	busy;
	u64	ips[PERF_COUNTER_MAX_STACK + PERF_COUNTER_MAX_MARKERS];
};

/**
 * perf_counter_callchain_add() - add a frame
 * @chain: the chain
 * @ip: its instruction pointer, or return address
 *
 * Context: any.
 * Return: false when the chain is full; @ip was not added then.
 */
static inline bool perf_counter_callchain_add(struct perf_counter_callchain *chain, u64 ip)
{
	if (!chain->frames_left)
		return false;
	chain->frames_left--;
	chain->ips[chain->nr++] = ip;
	return true;
}

/* By the architecture: the frames of user code that was at @regs. Any context. */
void perf_counter_callchain_user(struct perf_counter_callchain *chain, struct pt_regs *regs);

#ifdef CONFIG_PERF_COUNTERS

extern struct static_key_false perf_counter_hooks[PERF_COUNTER_HOOKS];

void __perf_counter_sw_event(u32 event, u64 nr, struct pt_regs *regs, u64 addr);
void __perf_counter_sched_in(struct task_struct *task);
void __perf_counter_sched_out(struct task_struct *task);
int __perf_counter_init_task(struct task_struct *child);
void __perf_counter_drop_task(struct task_struct *task);
void __perf_counter_exit_task(struct task_struct *task);
void __perf_counter_fork(struct task_struct *child);
void __perf_counter_exec(void);
void __perf_counter_comm(struct task_struct *task, bool exec);
void __perf_counter_mmap(struct vm_area_struct *vma);
int perf_counter_task_disable(int error);
int perf_counter_task_enable(int error);
bool perf_counter_serves_perf_event_open(void);
long perf_counter_open_event(struct perf_event_attr __user *uattr, pid_t pid, int cpu,
			     int group_fd, unsigned long flags);

/**
 * perf_counter_sw_event() - a software event happened
 * @event: PERF_COUNT_SW_*
 * @nr: how often
 * @regs: where
 * @addr: the address it is about, 0 for none
 */
static __always_inline void perf_counter_sw_event(u32 event, u64 nr, struct pt_regs *regs, u64 addr)
{
	if (static_branch_unlikely(&perf_counter_hooks[event]))
		__perf_counter_sw_event(event, nr, regs, addr);
}

/* The scheduler moves @task to another CPU; counted when it runs there. */
static inline void perf_counter_task_migrate(struct task_struct *task)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNT_SW_CPU_MIGRATIONS]))
		task->perf_counter_migrated = 1;
}

/* @task, the current task, starts to run. Context: IRQs off, rq lock held. */
static inline void perf_counter_sched_in(struct task_struct *task)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_SCHED]))
		__perf_counter_sched_in(task);
}

/* @task, the current task, stops running. Context: IRQs off, rq lock held. */
static inline void perf_counter_sched_out(struct task_struct *task)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_SCHED]))
		__perf_counter_sched_out(task);
}

/* A fork begins: set up @child and give it what it inherits. 0 or -ENOMEM. */
static inline int perf_counter_init_task(struct task_struct *child)
{
	child->perf_counter_ctx = NULL;
	child->perf_counter_migrated = 0;
	mutex_init(&child->perf_counter_mutex);
	INIT_LIST_HEAD(&child->perf_counter_owned);
	return current->perf_counter_ctx ? __perf_counter_init_task(child) : 0;
}

/* Take @task's counters from it: a fork failed, or a set-uid exec. */
static inline void perf_counter_drop_task(struct task_struct *task)
{
	if (task->perf_counter_ctx)
		__perf_counter_drop_task(task);
}

/* @task, the current task, ends. */
static inline void perf_counter_exit_task(struct task_struct *task)
{
	/* PF_EXITING before the look at the context; partner in task_ctx_get(). */
	smp_mb();
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_TASK]) ||
	    task->perf_counter_ctx || !list_empty(&task->perf_counter_owned))
		__perf_counter_exit_task(task);
}

/* @child is complete and about to run. */
static inline void perf_counter_fork(struct task_struct *child)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_TASK]))
		__perf_counter_fork(child);
}

/* The current task is past the point of no return of an exec. */
static inline void perf_counter_exec(void)
{
	if (current->perf_counter_ctx)
		__perf_counter_exec();
}

/* @task, the current task, has a new name; @exec: by an exec. */
static inline void perf_counter_comm(struct task_struct *task, bool exec)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_COMM]))
		__perf_counter_comm(task, exec);
}

/* @vma of the current task is new, or has new protection. May sleep. */
static inline void perf_counter_mmap(struct vm_area_struct *vma)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_MMAP]))
		__perf_counter_mmap(vma);
}

#else /* !CONFIG_PERF_COUNTERS */

static inline void perf_counter_sw_event(u32 event, u64 nr, struct pt_regs *regs, u64 addr) { }
static inline void perf_counter_task_migrate(struct task_struct *task) { }
static inline void perf_counter_sched_in(struct task_struct *task) { }
static inline void perf_counter_sched_out(struct task_struct *task) { }
static inline int perf_counter_init_task(struct task_struct *child) { return 0; }
static inline void perf_counter_drop_task(struct task_struct *task) { }
static inline void perf_counter_exit_task(struct task_struct *task) { }
static inline void perf_counter_fork(struct task_struct *child) { }
static inline void perf_counter_exec(void) { }
static inline void perf_counter_comm(struct task_struct *task, bool exec) { }
static inline void perf_counter_mmap(struct vm_area_struct *vma) { }
static inline int perf_counter_task_disable(int error) { return error; }
static inline int perf_counter_task_enable(int error) { return error; }
static inline bool perf_counter_serves_perf_event_open(void) { return false; }
static inline long perf_counter_open_event(struct perf_event_attr __user *uattr, pid_t pid,
					   int cpu, int group_fd, unsigned long flags)
{
	return -EOPNOTSUPP;
}

#endif /* CONFIG_PERF_COUNTERS */

#endif /* _LINUX_PERF_COUNTER_H */
