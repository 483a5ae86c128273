/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts: the counters of a task, of a CPU, or of a control group on a CPU, that are started and
 * stopped together.
 */
#ifndef _PERF_COUNTER_COUNTER_CTX_H
#define _PERF_COUNTER_COUNTER_CTX_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_counter.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct perf_counter_cgroup;
struct perf_counter_pmu;
struct task_struct;

/**
 * struct perf_counter_pmu_ctx - the groups of one PMU in a context
 * @next: entry of the next PMU; entries may be added, and are only freed with the context
 * @pmu: PMU that loads all counters of a group or none of them; NULL for groups that always
 *	have room
 * @pinned: leaders of the groups that are loaded first and must fit
 * @flexible: leaders of the groups that take turns when there is no room for all
 * @nr: number of counters in these groups that are loaded and unloaded with the context
 * @nr_user_read: number of counters in these groups that a program reads by itself
 *
 * Guarded by the lock of the context.
 */
struct perf_counter_pmu_ctx {
	struct perf_counter_pmu_ctx	*next;
	const struct perf_counter_pmu	*pmu;
	struct list_head		pinned;
	struct list_head		flexible;
	unsigned int			nr;
	unsigned int			nr_user_read;
};

/**
 * struct perf_counter_event_hash - hash table that maps event ids to the counters of a context
 * @rcu: used to free the table when its context is freed
 * @mask: bits of an id that select the list
 * @nr_args: number of counters that may record the memory that arguments of system calls point
 *	to: their attr.config1 is not 0. Written under ctx->lock, read without it
 * @lists: lists of counters; @mask and the id of an event select one
 */
struct perf_counter_event_hash {
	struct rcu_head			rcu;
	u32				mask;
	u32				nr_args;
	struct hlist_head		lists[];
};

/* Return the list with the counters of event @id. It may also have counters of other events. */
static inline struct hlist_head *perf_counter_hashed(struct perf_counter_event_hash *hash, u32 id)
{
	return &hash->lists[id & hash->mask];
}

/**
 * struct perf_counter_ctx - the counters of a task, of a CPU, or of a control group on a CPU
 * @task: task that the context belongs to, or NULL
 * @cgroup: control group that the context belongs to, or NULL; the context of a CPU has no task and
 *	no group
 * @lock: guards the lists, live_cpu, the clock, and the state, times and
 *	group of every counter in the context; taken with IRQs off
 * @live_cpu: CPU where the context runs now, or a negative CTX_* that says why it does not run
 * @clock_offset: clock of the CPU minus context time, while the context runs, ns
 * @clock_frozen: context time while the context does not run, ns
 * @sw: lists of the counters of each software event, which the events walk
 * @hash: counters of events that are found by an id; NULL until the first one joins
 * @sideband: counters that want side-band records
 * @pmus: groups of each PMU whose counters are loaded and unloaded with the context
 * @first_pmu: first entry of @pmus, if there is one
 * @counters: all counters, group leaders before their members
 * @nr_counters: number of entries of @counters
 * @nr_inherit: number of counters that children of the task inherit
 * @mutex: held while a counter joins, and by a task's fork and exit
 * @refs: number of references, held by the task and by code that works on the context
 * @nr_needs_load: number of counters that are loaded and unloaded with the context
 * @exec_gen: flag that every exec flips; a counter with an equal @exec_gen has seen the last exec
 *	or joined after it
 * @rcu: frees the context
 *
 * Context time is the time that a task has run, a CPU has been online, or tasks of a control
 * group have run on a CPU, in ns, since the context exists.
 */
struct perf_counter_ctx {
	struct task_struct	*task;
	struct perf_counter_cgroup *cgroup;
	raw_spinlock_t		lock;
	int			live_cpu;
	union {
		/* The first two software events are clocks, which have no list: reuse the space. */
		struct {
			u64	clock_offset;
			u64	clock_frozen;
		};
		struct hlist_head sw[PERF_COUNTER_SW_EVENTS];
	};
	struct perf_counter_event_hash *hash;
	struct list_head	sideband;
	struct perf_counter_pmu_ctx *pmus;
	struct perf_counter_pmu_ctx first_pmu;

	struct list_head	counters;
	unsigned int		nr_counters;
	unsigned int		nr_inherit;
	struct mutex		mutex;		/* joining; fork and exit */
	refcount_t		refs;
	unsigned int		nr_needs_load;
	bool			exec_gen;
	struct rcu_head		rcu;
};

static_assert(offsetof(struct perf_counter_ctx, sw[PERF_COUNT_SW_PAGE_FAULTS]) >=
	      offsetofend(struct perf_counter_ctx, clock_frozen));

/* Values of live_cpu when the context does not run; all are negative. */
enum {
	CTX_STOPPED	= -1,	/* no task of the context runs, or the CPU is offline */
	CTX_EMPTY	= -2,	/* a task's context without counters; switches skip it */
	CTX_DEAD	= -3,	/* the task has exited, no counter may join; set before @mutex */
};

/* The contexts of CPUs. */
DECLARE_PER_CPU(struct perf_counter_ctx, perf_counter_cpu_ctx);

#endif /* _PERF_COUNTER_COUNTER_CTX_H */
