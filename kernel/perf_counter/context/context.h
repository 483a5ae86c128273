/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of context/, which decides when counters count, and how they follow a task.
 *
 * A *counter* counts one event in one context. A *context* belongs to a task, to a CPU, or to a
 * control group on a CPU. A *descriptor* is what a program opened: its attributes, its counters
 * (one where it was opened, one for each task that inherited it) and the counts of exited tasks.
 * These three are in counter/. The events come from a *PMU* in source/, which registers here. When
 * a counter has overflowed, overflow.c hands a sample to record/.
 *
 * Lock order, outermost first:
 *
 *   desc->handing, bit 0		handover to perf_events, which opens an event; filters
 *   task->signal->exec_update_lock	open
 *   owned.mutex of a task's state		descriptors that a task opened
 *   ctx->mutex				joining a context; fork, exit
 *   desc->mutex (leader, then member)	desc->counters, groups, operations; inside it the
 *					mutex of a context of perf_events: handover.c
 *   mmap_lock				taken by the caller of mmap, never by perf_counter
 *   desc->writer.mutex			and the locks that ring/buffer.h lists
 *   cgroups_mutex			control groups that are counted
 *   hooks_mutex			static keys
 *   rq->lock				taken by the scheduler around its hooks
 *   ctx->lock (IRQs off)		state and times of a context's counters; the CPU's
 *					context before those of the control groups on it by
 *					their level, before that of the task on it
 *
 * Counters are loaded and unloaded, and fail to find room, only on their CPU with IRQs off. To
 * change such a counter in a live context, perf_counter_ctx_call() calls a function on that CPU.
 *
 * Neither ctx->mutex nor desc->mutex is held while user memory is accessed. Events take no lock:
 * they walk a context's lists under RCU with preemption off, check counter->group_enabled, and
 * use fields that do not change while it is set.
 */
#ifndef _PERF_COUNTER_CONTEXT_CONTEXT_H
#define _PERF_COUNTER_CONTEXT_CONTEXT_H

#include <linux/err.h>

#include "../counter/counter.h"
#include "../counter/ctx.h"
#include "../counter/desc.h"
#include "../counter/pmu.h"
#include "../counter/task.h"
#include "../counter/time.h"

struct perf_counter_cgroup;
struct perf_counter_recorder;

/* task_state.c */
struct perf_counter_task *perf_counter_state_get(struct task_struct *task);

/* desc.c */
struct perf_counter_desc *perf_counter_desc_alloc(const struct perf_counter_attr *attr,
						  const struct perf_counter_plan *plan, bool task,
						  int cpu, perf_counter_overflow_fn overflow);
void perf_counter_desc_close(struct perf_counter_desc *desc);
void perf_counter_desc_put(struct perf_counter_desc *desc);
void perf_counter_leave_owner(struct perf_counter_desc *desc);
void perf_counter_desc_expect_signals(struct perf_counter_desc *desc);
u64 perf_counter_first_period(struct perf_counter_desc *desc);

/* cgroup.c */
#ifdef CONFIG_CGROUPS
struct perf_counter_cgroup *perf_counter_cgroup_get(int fd);
void perf_counter_cgroup_put(struct perf_counter_cgroup *counted);
#else
static inline struct perf_counter_cgroup *perf_counter_cgroup_get(int fd)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void perf_counter_cgroup_put(struct perf_counter_cgroup *counted) { }
#endif

/* group.c */
struct perf_counter_desc *perf_counter_group_lock(struct perf_counter_desc *desc);
void perf_counter_group_unlock(struct perf_counter_desc *leader);
void perf_counter_group_leave(struct perf_counter_desc *desc);

/* attach.c */
int perf_counter_attach_task(struct perf_counter_desc *desc, struct task_struct *task,
			     struct perf_counter_desc *leader);
int perf_counter_attach_cpu(struct perf_counter_desc *desc, struct perf_counter_desc *leader);

/* ioctl_ops.c */
void perf_counter_op_enable(struct perf_counter_desc *desc);
void perf_counter_op_disable(struct perf_counter_desc *desc);
void perf_counter_op_reset(struct perf_counter_desc *desc);
void perf_counter_desc_do(struct perf_counter_desc *desc,
			  void (*op)(struct perf_counter_desc *desc));
void perf_counter_group_do(struct perf_counter_desc *desc,
			   void (*op)(struct perf_counter_desc *desc));
int perf_counter_desc_refresh(struct perf_counter_desc *desc, unsigned long nr);
int perf_counter_desc_set_period(struct perf_counter_desc *desc, u64 value);

/* handover.c */
int perf_counter_handover_begin(struct perf_counter_desc *desc,
				struct perf_counter_handover *handover);
int perf_counter_handover_end(struct perf_counter_desc *desc,
			      struct perf_counter_handover *handover);

/* read.c */
struct perf_counter_value perf_counter_desc_value(struct perf_counter_desc *desc);
ssize_t perf_counter_read_desc(struct perf_counter_desc *desc, char __user *buf, size_t count);

/* read_rows.c */
int perf_counter_read_each(struct perf_counter_desc *desc, struct perf_counter_rows __user *arg);
int perf_counter_read_self(struct perf_counter_desc *desc, struct perf_counter_rows __user *arg);

/* attr.c */
int perf_counter_copy_attr(struct perf_counter_attr __user *uattr, struct perf_counter_attr *attr);
int perf_counter_check_attr(struct perf_counter_attr *attr);

/* permission.c */
extern int sysctl_perf_counter_paranoid;
int perf_counter_may_open(const struct perf_counter_attr *attr,
			  const struct perf_counter_plan *plan, bool cpu_wide);
int perf_counter_may_trace(void);
void perf_counter_drop_machine(struct perf_counter_attr *attr);
bool perf_counter_may_watch(struct task_struct *task, bool memory);

/* counter.c */
void perf_counter_set_enabled(struct perf_counter *counter, bool enabled);
void perf_counter_set_period(struct perf_counter *counter, u64 period);

/* sw_event.c */
void perf_counter_sw_event_here(u32 id, unsigned long ip);
u64 perf_counter_period_over(struct perf_counter *counter, u64 nr);

/* ctx.c */
void perf_counter_ctx_call(struct perf_counter_ctx *ctx, void (*fn)(void *arg), void *arg,
			   bool atomic);

/* sched.c */
void perf_counter_unload(struct perf_counter *counter, u64 now);
void perf_counter_reload(struct perf_counter *counter, u64 now);
void perf_counter_tick_start(const struct perf_counter_pmu *pmu);

/* call_stack.c */
const struct perf_counter_pmu *
perf_counter_set_recorder_pmu(const struct perf_counter_pmu *pmu,
			      const struct perf_counter_recorder *recorder);

/* pmu_registry.c */
int perf_counter_register_pmu(struct perf_counter_pmu *pmu);
void perf_counter_unregister_pmu(struct perf_counter_pmu *pmu);
void perf_counter_pmu_halt(struct perf_counter_pmu *pmu);
void perf_counter_pmu_go_on(struct perf_counter_pmu *pmu);
void perf_counter_pmu_change(const struct perf_counter_pmu *pmu, void (*change)(void));

/* user_page.c */
void perf_counter_user_page_update(struct perf_counter_desc *desc);
void perf_counter_user_page_moved(struct perf_counter *counter);

#endif /* _PERF_COUNTER_CONTEXT_CONTEXT_H */
