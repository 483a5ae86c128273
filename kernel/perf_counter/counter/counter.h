/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A counter: one event, counted in one context.
 */
#ifndef _PERF_COUNTER_COUNTER_COUNTER_H
#define _PERF_COUNTER_COUNTER_COUNTER_H

#include <asm/local64.h>
#include <linux/bits.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/perf_counter_hw.h>
#include <linux/sched.h>
#include <linux/types.h>

struct perf_counter_ctx;
struct perf_counter_desc;
struct perf_counter_pmu_ctx;

/* Bits of counter->filter: the counter ignores events that happen in these circumstances. */
#define FILTER_CPU		BIT(0)	/* on another CPU than counter->cpu */
#define FILTER_USER		BIT(1)	/* in user mode */
#define FILTER_KERNEL		BIT(2)	/* in kernel mode */
#define FILTER_IDLE		BIT(3)	/* in the idle task */
#define FILTER_HOST		BIT(4)	/* outside guests, as all software events do */
#define FILTER_UNLOADED		BIT(5)	/* while the counter is not loaded */

/* Bits of counter->flags: rare properties that cost something at each load and unload. */
#define COUNTER_USER_READ	BIT(0)	/* a program has mapped it and may read its register */
#define COUNTER_BRANCHES	BIT(1)	/* its samples have branch records */

/**
 * struct perf_counter - a counter of one event in one context
 * @event_node: entry in a list of ctx->sw[] or ctx->hash
 * @desc: descriptor that the counter counts for
 * @group_enabled: the counter and its leader are enabled, so the counter counts where it can
 * @filter: events that do not count, a mask of FILTER_*
 * @exec_gen: value of ctx->exec_gen when an exec last saw the counter, or when the counter joined
 * @wants_enable_cb: flag: call pmu->enabled_changed() when the counter is enabled or disabled
 * @cpu: only CPU to count on; -1: all
 * @count: number of events since the counter was created; a reset does not change it
 * @sampling: due time of samples; events change it without a lock
 * @sampling.period: events per sample; 0: no samples
 * @sampling.period_left: events until the next sample; a sample is due at 0 or below
 * @sampling.freq_stamp: running time at the last change of @sampling.period, in frequency mode, ns
 * @sampling.freq_count: @count at @sampling.freq_stamp
 * @base: @count at the last reset
 * @enabled: the user has enabled the counter itself, whatever its leader's state
 * @enable_on_exec: set @enabled at the next exec
 * @needs_load: the counter counts only while it is loaded; it is loaded and unloaded with its
 *	context
 * @failed: flag: the counter is a pinned leader that found no room; it does not count until it
 *	is enabled again
 * @rewind: the PMU sets the counter's register again in the next tick
 * @flags: COUNTER_*
 * @loaded: the counter has a register, or a running timer, on this CPU
 * @times: context times in ns; guarded by ctx->lock
 * @times.enabled: time with @group_enabled set, until @times.enabled_stamp
 * @times.running: time in which the counter counted, until @times.run_stamp
 * @times.enabled_stamp: context time when @group_enabled was set last
 * @times.run_stamp: context time when @loaded was set last
 * @timer: hrtimer of a sampling clock
 * @due: running time at which the next sample of a sampling clock is due, ns
 * @hw: registers of a counter of a hardware PMU
 * @off_from: perf_counter_clock() when a counter of time off the CPU was enabled
 * @off_counted: perf_counter_clock() from which on time off the CPU is still to be counted; earlier
 *	time has been counted or does not count
 * @throttle: limit on the rate of samples; only overflows of the counter change it, without a
 *	lock
 * @throttle.window_end: end of the throttle window: ns, or for counters of hardware and of time
 *	off the CPU the jiffy in which the window lies
 * @throttle.samples: samples in the throttle window
 * @throttle.throttled: the counter takes no more samples in this throttle window
 * @ctx: context where the counter counts; NULL before it is attached and after it is detached
 * @ctx_node: entry in ctx->counters
 * @pmu_ctx: for a leader: part of the context that lists its group; NULL if no counter of the
 *	group has @needs_load set
 * @load_node: entry in pmu_ctx->pinned or pmu_ctx->flexible
 * @sideband_node: entry in ctx->sideband
 * @desc_node: entry in desc->counters
 * @group: group of the counter in this context; guarded by ctx->lock, and events read it under
 *	RCU
 * @group.leader: leader of the group; the counter itself when it leads
 * @group.members: members of a leader, in the order in which they joined
 * @group.node: entry in the @group.members of the leader
 * @group.nr_members: number of @group.members
 * @stream_id: unique number, for PERF_SAMPLE_STREAM_ID
 * @fork_peer: during a fork of ctx->task, the child counter made from this counter; in a child
 *	counter that is not attached yet, its parent; guarded by ctx->mutex
 *
 * The fields that events use come first. ctx->lock guards all fields except @count, @sampling,
 * @throttle and @fork_peer; @ctx changes with desc->mutex held as well.
 */
struct perf_counter {
	struct hlist_node		event_node;
	struct perf_counter_desc	*desc;
	bool				group_enabled;
	u8				filter;
	bool				exec_gen;
	bool				wants_enable_cb;
	int				cpu;
	local64_t			count;
	struct {
		u64			period;
		local64_t		period_left;
		u64			freq_stamp;
		u64			freq_count;
	} sampling;

	u64				base;
	bool				enabled;
	bool				enable_on_exec;
	bool				needs_load;
	bool				failed;
	bool				rewind;
	u8				flags;
	bool				loaded;
	struct {
		u64			enabled;
		u64			running;
		u64			enabled_stamp;
		u64			run_stamp;
	} times;

	union {
		struct {
			struct hrtimer	timer;
			u64		due;
		};
		struct perf_counter_hw	hw;
		struct {
			u64		off_from;
			u64		off_counted;
		};
	};
	struct {
		u64			window_end;
		unsigned int		samples;
		bool			throttled;
	} throttle;

	struct perf_counter_ctx		*ctx;
	struct list_head		ctx_node;
	struct perf_counter_pmu_ctx	*pmu_ctx;
	struct list_head		load_node;
	struct list_head		sideband_node;
	struct list_head		desc_node;
	struct {
		struct perf_counter	*leader;
		struct list_head	members;
		struct list_head	node;
		unsigned int		nr_members;
	} group;
	u64				stream_id;
	struct perf_counter		*fork_peer;
};

/* Return true if the current task is idle. */
static inline bool perf_counter_is_idle(void)
{
	/* As in perf_counter_has_user_mode(): PF_IDLE does not change while the task runs. */
	return data_race(is_idle_task(current));
}

/* filter.c */
extern struct pt_regs perf_counter_no_regs;
bool perf_counter_filtered(struct perf_counter *counter, struct pt_regs *regs);

/* Return true if @task can run in user mode. A kernel thread cannot, even if it has an mm. */
static inline bool perf_counter_has_user_mode(const struct task_struct *task)
{
	/* An event may interrupt the task while it changes other flags; these two never change. */
	return !(data_race(task->flags) & (PF_KTHREAD | PF_USER_WORKER));
}

#endif /* _PERF_COUNTER_COUNTER_COUNTER_H */
