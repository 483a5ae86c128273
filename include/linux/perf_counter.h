/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of perf_counter in the rest of the kernel. Each hook is a patched-out
 * branch while no counter needs it, and empty without CONFIG_PERF_COUNTERS.
 *
 * Where perf_events hears of an event, too, perf_event_x() calls perf_counter_x(), so
 * that the rest of the kernel has one call for both.
 */
#ifndef _LINUX_PERF_COUNTER_H
#define _LINUX_PERF_COUNTER_H

#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <uapi/linux/perf_event.h>

struct bpf_prog;
struct cgroup;
struct ma_state;
struct mm_struct;
struct pt_regs;
struct vm_area_struct;

/*
 * Each software event has a list: those of perf_events, PERF_COUNT_SW_CPU_CLOCK to _DUMMY, and one
 * that only perf_counter has.
 */
enum {
	PERF_COUNTER_SW_OFF_CPU	= PERF_COUNT_SW_DUMMY + 1,
	PERF_COUNTER_SW_EVENTS
};

/* Hooks that a counter may need; each has a static key. */
enum perf_counter_hook {
	PERF_COUNTER_HOOK_SW,		/* one hook for each software event */
	PERF_COUNTER_HOOK_SCHED = PERF_COUNTER_SW_EVENTS,
	PERF_COUNTER_HOOK_TASK,
	PERF_COUNTER_HOOK_COMM,
	PERF_COUNTER_HOOK_MMAP,
	PERF_COUNTER_HOOK_MUNMAP,
	PERF_COUNTER_HOOK_SWITCH,	/* switches, SWITCH records, branches; needs _SCHED */
	PERF_COUNTER_HOOK_SWITCH_RECORD,
	PERF_COUNTER_HOOK_NAMESPACES,
	PERF_COUNTER_HOOK_CGROUP,
	PERF_COUNTER_HOOK_KSYMBOL,	/* KSYMBOL and BPF_EVENT records, and modules */
	PERF_COUNTER_HOOK_TEXT_POKE,
	PERF_COUNTER_HOOK_SYSCALL,	/* data that arguments of system calls point to */
	PERF_COUNTER_HOOK_BRANCHES,	/* branch records by task, and call stacks */
	PERF_COUNTER_HOOKS
};

/**
 * struct perf_counter_unexec - ranges that cease to be executable in one mprotect()
 * @ranges: list of struct unexec_range, the last one first; NULL for none
 */
struct perf_counter_unexec {
	struct llist_node *ranges;
};

/* Maximum number of frames in a call chain. */
#define PERF_COUNTER_MAX_STACK		127
/* Maximum number of markers in a call chain: user and kernel. */
#define PERF_COUNTER_MAX_MARKERS	2

/**
 * struct perf_counter_callchain - a call chain
 * @nr: number of entries in @ips
 * @frames_left: number of frames that still fit
 * @busy: the chain is being collected, or was not written yet
 * @ips: markers (PERF_CONTEXT_*), each followed by its frames, innermost first
 */
struct perf_counter_callchain {
	u64	nr;
	u32	frames_left;
	bool	busy;
	u64	ips[PERF_COUNTER_MAX_STACK + PERF_COUNTER_MAX_MARKERS];
};

/**
 * perf_counter_callchain_add() - Add a frame to a call chain
 * @chain: call chain
 * @ip: instruction pointer or return address
 *
 * Context: Any context.
 * Return: false if the chain is full; @ip was not added then.
 */
static inline bool perf_counter_callchain_add(struct perf_counter_callchain *chain, u64 ip)
{
	if (!chain->frames_left)
		return false;
	chain->frames_left--;
	chain->ips[chain->nr++] = ip;
	return true;
}

/* Add the frames of the user code at @regs; implemented by the architecture. Any context. */
void perf_counter_callchain_user(struct perf_counter_callchain *chain, struct pt_regs *regs);

#ifdef CONFIG_PERF_COUNTERS

extern struct static_key_false perf_counter_hooks[PERF_COUNTER_HOOKS];

void __perf_counter_sw_event(u32 event, u64 nr, struct pt_regs *regs, u64 addr);
void __perf_counter_sched_in(struct task_struct *prev, struct task_struct *task);
void __perf_counter_sched_out(struct task_struct *task, struct task_struct *next);
void __perf_counter_task_migrate(struct task_struct *task);
void __perf_counter_task_dead(struct task_struct *task);
int perf_counter_init_task(struct task_struct *child);
void perf_counter_free_task(struct task_struct *child);
void perf_counter_fork(struct task_struct *child);
void __perf_counter_exit_task(struct task_struct *task);
void __perf_counter_task_freed(struct task_struct *task);
void __perf_counter_exec(void);
void perf_counter_branches_exec(void);
void __perf_counter_comm(struct task_struct *task, bool exec);
void __perf_counter_namespaces(struct task_struct *task);
void __perf_counter_cgroup(struct cgroup *cgroup);
void __perf_counter_mmap(struct vm_area_struct *vma, unsigned long start, unsigned long end);
void __perf_counter_munmap(struct ma_state *unmapped);
void __perf_counter_mprotect(struct vm_area_struct *vma, unsigned long start, unsigned long end,
			     unsigned long old_flags);
void __perf_counter_note_unexec(struct perf_counter_unexec *unexec, unsigned long start,
				unsigned long end, unsigned long lost);
void __perf_counter_record_unexec(struct perf_counter_unexec *unexec);
void __perf_counter_mm_left(struct mm_struct *mm);
void __perf_counter_ksymbol(u16 type, u64 addr, u32 len, bool unregister, const char *name);
void __perf_counter_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type, u16 flags);
void __perf_counter_text_poke(const void *addr, const void *old, size_t old_len,
			      const void *new, size_t new_len);
void __perf_counter_syscall(struct pt_regs *regs);
int perf_counter_task_disable(void);
int perf_counter_task_enable(void);
bool perf_counter_open_event(const struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			     unsigned long flags, int *event_fd);

/**
 * perf_counter_sw_event() - Report a software event
 * @event: PERF_COUNT_SW_*
 * @nr: number of events
 * @regs: registers at the event
 * @addr: address that the event is about; 0 for none
 */
static __always_inline void perf_counter_sw_event(u32 event, u64 nr, struct pt_regs *regs, u64 addr)
{
	if (static_branch_unlikely(&perf_counter_hooks[event]))
		__perf_counter_sw_event(event, nr, regs, addr);
}

/*
 * Called when the scheduler moves @task to another CPU. The migration is counted when the task runs
 * there, so counters of migrations need PERF_COUNTER_HOOK_SWITCH, too.
 */
static inline void perf_counter_task_migrate(struct task_struct *task)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_SWITCH]))
		__perf_counter_task_migrate(task);
}

/*
 * Schedule in the counters of @task, the current task, after a switch from @prev. Context: IRQs
 * off, rq lock held.
 */
static inline void perf_counter_sched_in(struct task_struct *prev, struct task_struct *task)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_SCHED]))
		__perf_counter_sched_in(prev, task);
}

/*
 * Schedule out the counters of @task, the current task, before a switch to @next. Context: IRQs
 * off, rq lock held.
 */
static inline void perf_counter_sched_out(struct task_struct *task, struct task_struct *next)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_SCHED]))
		__perf_counter_sched_out(task, next);
}

/*
 * Called when @task has exited and was switched away from for the last time. Context: preemption
 * disabled.
 */
static inline void perf_counter_task_dead(struct task_struct *task)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_TASK]))
		__perf_counter_task_dead(task);
}

/*
 * Called when @task, the current task, exits, or loses its counters in an exec that gives it other
 * credentials.
 */
static inline void perf_counter_exit_task(struct task_struct *task)
{
	/*
	 * Set PF_EXITING before reading the state; pairs with perf_counter_task_ctx_get() and
	 * perf_counter_stack_give().
	 */
	smp_mb();
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_TASK]) ||
	    READ_ONCE(task->perf_counter))
		__perf_counter_exit_task(task);
}

/* Called when @task is freed, also after a fork that failed. Any context but NMI. */
static inline void perf_counter_task_freed(struct task_struct *task)
{
	if (task->perf_counter)
		__perf_counter_task_freed(task);
}

/*
 * Called when the namespaces of @task, the current task or its new child, have changed. May sleep.
 */
static inline void perf_counter_namespaces(struct task_struct *task)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_NAMESPACES]))
		__perf_counter_namespaces(task);
}

/* Called when the current task is past the point of no return of an exec. */
static inline void perf_counter_exec(void)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_BRANCHES]))
		perf_counter_branches_exec();
	if (READ_ONCE(current->perf_counter))
		__perf_counter_exec();
}

/* Called when the name of @task, the current task, has changed. @exec: an exec has changed it. */
static inline void perf_counter_comm(struct task_struct *task, bool exec)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_COMM]))
		__perf_counter_comm(task, exec);
}

/* Called when @cgroup was created. May sleep. */
static inline void perf_counter_cgroup(struct cgroup *cgroup)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_CGROUP]))
		__perf_counter_cgroup(cgroup);
}

/*
 * Called when the current task has mapped [@start, @end) with the properties of @vma. The range was
 * unmapped before. The mmap_lock is held for writing.
 */
static inline void perf_counter_mmap(struct vm_area_struct *vma, unsigned long start,
				     unsigned long end)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_MMAP]))
		__perf_counter_mmap(vma, start, end);
}

/* Called when the VMAs in @unmapped were removed from the address space of the current task. */
static inline void perf_counter_munmap(struct ma_state *unmapped)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_MUNMAP]))
		__perf_counter_munmap(unmapped);
}

/*
 * Called when the flags of [@start, @end) change from @old_flags to those of @vma, before the page
 * tables change. May sleep. The mmap_lock is held for writing.
 */
static inline void perf_counter_mprotect(struct vm_area_struct *vma, unsigned long start,
					 unsigned long end, unsigned long old_flags)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_MMAP]) ||
	    static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_MUNMAP]))
		__perf_counter_mprotect(vma, start, end, old_flags);
}

/*
 * Note a range of the current task that ceases to be executable if @lost, the flags that it loses,
 * contains VM_EXEC. May sleep. The mmap_lock is held for writing until
 * perf_counter_record_unexec().
 */
static inline void perf_counter_note_unexec(struct perf_counter_unexec *unexec,
					    unsigned long start, unsigned long end,
					    unsigned long lost)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_MMAP]) ||
	    static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_MUNMAP]))
		__perf_counter_note_unexec(unexec, start, end, lost);
}

/*
 * Called when no CPU can execute the noted ranges any more: after the page tables and the TLBs have
 * changed. May sleep.
 */
static inline void perf_counter_record_unexec(struct perf_counter_unexec *unexec)
{
	if (unexec->ranges)
		__perf_counter_record_unexec(unexec);
}

/*
 * Called when the current process leaves @mm, in an exec or when its last thread exits. @mm is NULL
 * for a kernel thread. May sleep.
 */
static inline void perf_counter_mm_left(struct mm_struct *mm)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_MUNMAP]) && mm)
		__perf_counter_mm_left(mm);
}

/**
 * perf_counter_ksymbol() - Report a function that the kernel has made or is about to free
 * @type: PERF_RECORD_KSYMBOL_TYPE_*
 * @addr: address of the function
 * @len: size of the function, in bytes
 * @unregister: the function is about to be freed
 * @name: name of the function
 */
static inline void perf_counter_ksymbol(u16 type, u64 addr, u32 len, bool unregister,
					const char *name)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_KSYMBOL]))
		__perf_counter_ksymbol(type, addr, len, unregister, name);
}

/* Return true if a counter wants records of the functions of BPF programs. */
static inline bool perf_counter_wants_ksymbols(void)
{
	return static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_KSYMBOL]);
}

/*
 * Called when a BPF program was loaded, or is about to be unloaded. With perf_events,
 * perf_counter_ksymbol() was called for its functions.
 */
static inline void perf_counter_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type,
					  u16 flags)
{
	if (IS_ENABLED(CONFIG_BPF_SYSCALL) &&
	    static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_KSYMBOL]))
		__perf_counter_bpf_event(prog, type, flags);
}

/**
 * perf_counter_text_poke() - Report a change of the kernel's code
 * @addr: address of the code
 * @old: code before the change
 * @old_len: size of @old, in bytes; 0 if the code is new
 * @new: code after the change
 * @new_len: size of @new, in bytes; 0 if the code is removed
 */
static inline void perf_counter_text_poke(const void *addr, const void *old, size_t old_len,
					  const void *new, size_t new_len)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_TEXT_POKE]))
		__perf_counter_text_poke(addr, old, old_len, new, new_len);
}

/*
 * Called when the current task enters the system call in @regs, before the tracepoint. May sleep.
 */
static inline void perf_counter_syscall(struct pt_regs *regs)
{
	if (IS_ENABLED(CONFIG_FTRACE_SYSCALLS) &&
	    static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_SYSCALL]))
		__perf_counter_syscall(regs);
}

#else /* !CONFIG_PERF_COUNTERS */

static inline void perf_counter_sw_event(u32 event, u64 nr, struct pt_regs *regs, u64 addr) { }
static inline void perf_counter_task_migrate(struct task_struct *task) { }
static inline void perf_counter_sched_in(struct task_struct *prev, struct task_struct *task) { }
static inline void perf_counter_sched_out(struct task_struct *task, struct task_struct *next) { }
static inline void perf_counter_task_dead(struct task_struct *task) { }
static inline int perf_counter_init_task(struct task_struct *child) { return 0; }
static inline void perf_counter_free_task(struct task_struct *child) { }
static inline void perf_counter_fork(struct task_struct *child) { }
static inline void perf_counter_exit_task(struct task_struct *task) { }
static inline void perf_counter_task_freed(struct task_struct *task) { }
static inline void perf_counter_exec(void) { }
static inline void perf_counter_comm(struct task_struct *task, bool exec) { }
static inline void perf_counter_namespaces(struct task_struct *task) { }
static inline void perf_counter_cgroup(struct cgroup *cgroup) { }
static inline void perf_counter_mmap(struct vm_area_struct *vma, unsigned long start,
				     unsigned long end) { }
static inline void perf_counter_munmap(struct ma_state *unmapped) { }
static inline void perf_counter_mprotect(struct vm_area_struct *vma, unsigned long start,
					 unsigned long end, unsigned long old_flags) { }
static inline void perf_counter_note_unexec(struct perf_counter_unexec *unexec,
					    unsigned long start, unsigned long end,
					    unsigned long lost) { }
static inline void perf_counter_record_unexec(struct perf_counter_unexec *unexec) { }
static inline void perf_counter_mm_left(struct mm_struct *mm) { }
static inline void perf_counter_ksymbol(u16 type, u64 addr, u32 len, bool unregister,
					const char *name) { }
static inline bool perf_counter_wants_ksymbols(void) { return false; }
static inline void perf_counter_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type,
					  u16 flags) { }
static inline void perf_counter_text_poke(const void *addr, const void *old, size_t old_len,
					  const void *new, size_t new_len) { }
static inline void perf_counter_syscall(struct pt_regs *regs) { }
static inline int perf_counter_task_disable(void) { return -EINVAL; }
static inline int perf_counter_task_enable(void) { return -EINVAL; }
static inline bool perf_counter_open_event(const struct perf_event_attr *attr, pid_t pid,
					   int cpu, int group_fd, unsigned long flags,
					   int *event_fd)
{
	return false;
}

#endif /* CONFIG_PERF_COUNTERS */

#endif /* _LINUX_PERF_COUNTER_H */
