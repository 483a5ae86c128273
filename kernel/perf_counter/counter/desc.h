/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Descriptors: what a program, or the kernel, has opened.
 */
#ifndef _PERF_COUNTER_COUNTER_DESC_H
#define _PERF_COUNTER_COUNTER_DESC_H

#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_counter_kernel.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>
#include <uapi/linux/perf_counter.h>

#include "../ring/buffer.h"
#include "counter.h"
#include "plan.h"

struct event_filter;
struct fasync_struct;
struct perf_counter_cgroup;
struct perf_counter_label;
struct perf_counter_pmu;
struct perf_counter_tracepoint;
struct pid_namespace;

/* Values of desc->refresh.hangup. */
enum {
	NO_HANGUP,
	HANGUP,		/* the last record that the limit allows is written */
	HANGUP_TOLD,	/* that record is written and the signal is sent */
};

/**
 * struct perf_counter_desc - event that a program, or the kernel, has opened
 * @work: irq_work that events queue; sends signals, and disables the counters at the limit
 * @stop_work: work that disables the counters at the limit if that has to wait for other CPUs
 * @free: work that frees the descriptor once no event can be using it
 * @attr: attributes as opened
 * @pmu: PMU that counts the event
 * @handed: file of perf_events that the descriptor was handed over to, with a reference; NULL
 *	without a handover. Set once, with @mutex and @writer.mutex held
 * @event: number of a software event, an index of ctx->sw[]; -1: another event
 * @event_id: id of an event that is found in ctx->hash; 0: another event
 * @tracepoint: source of a tracepoint's events
 * @filter: filter on the records of a tracepoint; NULL: all events count. RCU; set only once
 * @missed: number of events that could not be recorded or filtered, because another event was
 *	being recorded in the same context, or because the record is too long
 * @task: the descriptor counts a task and its children, not CPUs or a control group
 * @compat: perf_event_open() has opened the descriptor
 * @needs_group: the PMU has room for the event only together with other events of a group
 * @cpu: only CPU to count on; -1: all
 * @cgroup: control group whose tasks are counted, with a reference; NULL: a task, or CPUs
 * @needs_load: the counters are loaded and unloaded with their contexts
 * @leaves_work: @work, @stop_work and @free are set up
 * @hooks: kernel hooks that the descriptor depends on, a bit for each
 * @records: kinds of records that the descriptor wants, and their layout; set at open
 * @records.plan: contents of the records, decided from @attr
 * @records.branches: kinds of branches to record before a sample, PERF_COUNTER_BRANCH_*; 0: the
 *	samples have no branches
 * @records.branch_types: types of branches that the samples have, a bit for each PERF_BR_*
 * @records.clock: clock of the time fields, ns
 * @records.ns: pid namespace of the opener, in which pids are recorded
 * @records.machine_node: entry in the list of descriptors with @records.plan.machine; guarded by
 *	the lock of that list
 * @writer: the buffer that records go to, if any, and the tasks that wait for records
 * @overflow: for a descriptor of the kernel: function called at each overflow, instead of writing
 *	a record
 * @refresh: limit on overflows that REFRESH sets; overflows change it without a lock
 * @refresh.limit: overflows until the descriptor disables itself; -1: no limit; 0: used up;
 *	INT_MAX for a descriptor of the kernel, so that every overflow takes the path that calls
 *	@overflow
 * @refresh.in_flight: number of overflows under a limit that are being handled now
 * @refresh.hangup: NO_HANGUP, HANGUP or HANGUP_TOLD; meaningful while @refresh.limit is 0
 * @refresh.stopped: the limit is used up and the counters have been disabled
 * @fasync: files that get signals
 * @mutex: serialises operations; guards @counters, @exited, and a leader's
 *	@group.members
 * @counters: counters that count for the descriptor now
 * @first: counter that the descriptor was opened with, if it has no @cpus
 * @cpus: counters of a descriptor of the whole machine, one for each possible CPU; else NULL
 * @unsupported_cpus: CPUs that cannot count the event, while other CPUs can; NULL: all can
 * @exited: counts and times of exited tasks; changed with @mutex held
 * @exited.count: counts; a group read reads them without @mutex
 * @exited.enabled: enabled time, ns
 * @exited.running: running time, ns
 * @closed: the descriptor is closed, and gets no more counters
 * @handing: bit 0 is a lock: held for a handover to perf_events and for setting a filter
 * @group: group that read() and ioctls use; changed with the leader's @mutex held
 * @group.leader: leader of the group; the descriptor itself when it leads. RCU
 * @group.members: members of a leader
 * @group.node: entry in the leader's @group.members
 * @group.nr_members: number of @group.members
 * @group.slot: position in the group from 1; 0 for the leader
 * @id: unique number, for PERF_FORMAT_ID and the like
 * @owner: task that opened the descriptor; changed with owned.mutex of the task's state held
 * @owner.task: the task, with a reference; NULL after the task's end, and for descriptors of the
 * kernel. RCU
 * @owner.node: entry in owned.descs of the task's state while the task lives
 * @label: label of the security module, if it has one
 * @refs: number of references, held by the file and by code that works on the descriptor
 */
struct perf_counter_desc {
	/* Set up only for descriptors that sample or send signals. */
	struct irq_work			work;
	struct work_struct		stop_work;
	struct rcu_work			free;
	/* All fields from here on are zero at first. */
	struct perf_counter_attr	attr;
	const struct perf_counter_pmu	*pmu;
	struct file			*handed;
	int				event;
	u32				event_id;
	struct perf_counter_tracepoint	*tracepoint;
	struct event_filter __rcu	*filter;
	atomic64_t			missed;
	bool				task;
	bool				compat;
	bool				needs_group;
	int				cpu;
	struct perf_counter_cgroup	*cgroup;
	bool				needs_load;
	bool				leaves_work;
	u32				hooks;
	struct {
		struct perf_counter_plan plan;
		u16			branches;
		u16			branch_types;
		u64			(*clock)(void);
		struct pid_namespace	*ns;
		struct list_head	machine_node;
	} records;
	struct perf_counter_writer	writer;
	perf_counter_overflow_fn	overflow;
	struct {
		atomic_t		limit;
		atomic_t		in_flight;
		atomic_t		hangup;
		bool			stopped;
	} refresh;
	struct fasync_struct		*fasync;

	struct mutex			mutex;	/* operations */
	struct list_head		counters;
	struct perf_counter		first;
	struct perf_counter __percpu	*cpus;
	const struct cpumask		*unsupported_cpus;
	struct {
		atomic64_t		count;
		u64			enabled;
		u64			running;
	} exited;
	bool				closed;
	unsigned long			handing;
	struct {
		struct perf_counter_desc __rcu *leader;
		struct list_head	members;
		struct list_head	node;
		unsigned int		nr_members;
		unsigned int		slot;
	} group;
	u64				id;

	struct {
		struct task_struct	*task;
		struct list_head	node;
	} owner;
	struct perf_counter_label	*label;
	refcount_t			refs;
};

/* Return the CPUs that @desc has a counter for; only CPU 0 if it has a single counter. */
static inline const struct cpumask *perf_counter_desc_cpus(struct perf_counter_desc *desc)
{
	return desc->cpus ? cpu_possible_mask : cpumask_of(0);
}

/* Return the first CPU of perf_counter_desc_cpus(). */
static inline int perf_counter_first_cpu(struct perf_counter_desc *desc)
{
	return cpumask_first(perf_counter_desc_cpus(desc));
}

/* Return the counter that @desc was opened with for @cpu, one of perf_counter_desc_cpus(). */
static inline struct perf_counter *perf_counter_opened(struct perf_counter_desc *desc, int cpu)
{
	return desc->cpus ? per_cpu_ptr(desc->cpus, cpu) : &desc->first;
}

/* Return true if every task that @desc counted has exited. Context: any. */
static inline bool perf_counter_targets_exited(const struct perf_counter_desc *desc)
{
	return list_empty_careful(&desc->counters);
}

/*
 * Return true if @desc writes no more records: its limit is used up, or its tasks have exited.
 * Context: any.
 */
static inline bool perf_counter_no_more_records(const struct perf_counter_desc *desc)
{
	return (READ_ONCE(desc->refresh.stopped) && !atomic_read(&desc->refresh.limit)) ||
	       perf_counter_targets_exited(desc);
}

/*
 * Return the file of perf_events that @desc was handed over to, or NULL. The event may not have
 * the count of @desc until the handover has released desc->mutex. Context: any.
 */
static __always_inline struct file *perf_counter_handed(const struct perf_counter_desc *desc)
{
	/* Pairs with the release in desc_replace(), by the address dependency of the callers. */
	return IS_ENABLED(CONFIG_PERF_EVENTS) ? READ_ONCE(desc->handed) : NULL;
}

/* hooks.c */
void perf_counter_hooks_get(u32 hooks);
void perf_counter_hooks_put(u32 hooks);

#endif /* _PERF_COUNTER_COUNTER_DESC_H */
