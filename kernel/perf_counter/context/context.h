/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The door of context/: counters, groups and contexts, who counts when, and how they
 * follow a task.
 *
 * A *counter* counts one event in one context. A *context* is a task or a
 * CPU. A *descriptor* is what a program opened: its attributes, the counters
 * that count for it (one where it was opened, one more for each task that
 * inherited it) and what the counters of ended tasks had counted. What counts is a
 * *PMU*, of source/, which registers here. When a counter has overflowed, overflow.c
 * hands a sample to record/.
 *
 * Lock order, outermost first:
 *
 *   desc->handing, bit 0		a handover to perf_events, which opens an event; a filter
 *   task->signal->exec_update_lock	open
 *   task->perf_counter_mutex		descriptors that a task created; its forks
 *   ctx->mutex				who may join a context; fork, exit
 *   desc->mutex (leader, then member)	desc->counters, groups, operations; inside it the
 *					mutex of a context of perf_events: handover.c
 *   mmap_lock				by the caller of mmap, never by us
 *   desc->writer.mutex			and what is inside it: ring/buffer.h
 *   hooks_mutex			static keys
 *   rq->lock				by the scheduler around its hooks
 *   ctx->lock (IRQs off)		state and times of a context's counters; a
 *					CPU's, then that of the task on it
 *
 * A fork holds its task's perf_counter_mutex when it takes tasklist_lock; nothing of
 * ours is taken inside that.
 *
 * What runs on a CPU at the moment, counters that are loaded and whether there
 * was room for them, changes on that CPU alone, with IRQs off: a context that
 * is live there and has counters to load is left to it by ctx_call().
 *
 * Neither ctx->mutex nor desc->mutex is held where user memory is touched.
 * Events take no lock: they walk a context's lists under RCU, with preemption
 * off, look at counter->group_enabled, and use what does not change while it is set.
 */
#ifndef _PERF_COUNTER_CONTEXT_CONTEXT_H
#define _PERF_COUNTER_CONTEXT_CONTEXT_H

#include <asm/local64.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/perf_counter.h>
#include <linux/perf_counter_hw.h>
#include <linux/perf_counter_handover.h>
#include <linux/perf_counter_kernel.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/refcount.h>
#include <linux/sched/clock.h>
#include <linux/security.h>
#include <linux/workqueue.h>
#include <uapi/linux/perf_counter.h>

#include "../record/record.h"
#include "../ring/buffer.h"

struct event_filter;
struct perf_counter;
struct perf_counter_desc;
struct perf_counter_pmu;
struct perf_counter_tracepoint;

/**
 * struct perf_counter_pmu_ctx - the groups of one PMU in a context
 * @next: of another PMU; they are added, and freed with the context
 * @pmu: whose room they need, all of a group or none of it; NULL for groups that
 *	have room always
 * @pinned: leaders of the groups that go first and must fit
 * @flexible: the others, which take turns when there is no room for all
 * @nr: counters in those groups that are loaded and unloaded with the context
 * @nr_user: of them, counters that their program reads by itself
 *
 * Guarded by the lock of the context.
 */
struct perf_counter_pmu_ctx {
	struct perf_counter_pmu_ctx	*next;
	const struct perf_counter_pmu	*pmu;
	struct list_head		pinned;
	struct list_head		flexible;
	unsigned int			nr;
	unsigned int			nr_user;
};

/**
 * struct perf_counter_event_hash - the counters of events that are found by an id
 * @rcu: frees it, with its context
 * @mask: of an id, the bits that say in which list
 * @nr_args: how many of the counters have attr.config1: most often, they record what the
 *	arguments of system calls point to. Under ctx->lock; read without
 * @lists: the counters
 */
struct perf_counter_event_hash {
	struct rcu_head			rcu;
	u32				mask;
	u32				nr_args;
	struct hlist_head		lists[];
};

/* Where the counters of the event with @id are, among others. */
static inline struct hlist_head *perf_counter_hashed(struct perf_counter_event_hash *hash, u32 id)
{
	return &hash->lists[id & hash->mask];
}

/**
 * struct perf_counter_ctx - the counters of a task, or of a CPU
 * @task: whose they are; NULL for those of a CPU
 * @lock: guards the lists, live_cpu, the clock, and the state, times and
 *	group of every counter in the context; taken with IRQs off
 * @live_cpu: where the context runs now, or why it does not: CTX_STOPPED; CTX_EMPTY,
 *	a task's that has no counters, so that switches leave it alone; CTX_DEAD, no
 *	task uses it any more, and nobody may join, set before @mutex is taken to empty it
 * @clock_offset: context time is the CPU's clock minus this, while live
 * @clock_frozen: context time while not live
 * @sw: the counters of each software event, for the events themselves
 * @hash: the counters of events that are found by an id; NULL when there never were any
 * @sideband: counters that want side-band records
 * @pmus: what it has of each PMU whose counters are loaded and unloaded with it
 * @first_pmu: the first of @pmus, if there is one
 * @counters: all, group leaders before their members
 * @nr_counters: how many
 * @nr_inherit: of them, counters that children of the task inherit
 * @mutex: held while a counter joins, and by a task's fork and exit
 * @refs: the task, and whoever works on the context
 * @nr_needs_load: counters that are loaded and unloaded with the context
 * @exec_seen: what counters have that the last exec has looked at, and those that came later
 * @rcu: frees it
 *
 * Context time is the time that a task has run, or a CPU has been online,
 * in ns, since the context exists.
 */
struct perf_counter_ctx {
	struct task_struct	*task;
	raw_spinlock_t		lock;
	int			live_cpu;
	union {
		/* The first two events are clocks, which nobody raises: they need no list. */
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
	struct mutex		mutex;		/* who joins; fork and exit */
	refcount_t		refs;
	unsigned int		nr_needs_load;
	bool			exec_seen;
	struct rcu_head		rcu;
};

static_assert(offsetof(struct perf_counter_ctx, sw[PERF_COUNT_SW_PAGE_FAULTS]) >=
	      offsetofend(struct perf_counter_ctx, clock_frozen));

/* See live_cpu; all are negative. */
enum {
	CTX_STOPPED	= -1,
	CTX_EMPTY	= -2,
	CTX_DEAD	= -3,
};

/* Bits of counter->filter: why an event may not count. */
#define FILTER_CPU		BIT(0)	/* on another CPU than counter->cpu */
#define FILTER_USER		BIT(1)	/* in user mode */
#define FILTER_KERNEL		BIT(2)	/* in kernel mode */
#define FILTER_IDLE		BIT(3)	/* in the idle task */
#define FILTER_HOST		BIT(4)	/* outside guests, where software events always are */
#define FILTER_UNLOADED		BIT(5)	/* while its group has no room on the PMU */

/* Bits of counter->with. */
#define WITH_USER		BIT(0)	/* its program has mapped it, and may read its register */
#define WITH_BRANCHES		BIT(1)	/* its samples have branches, recorded while it is loaded */

/**
 * struct perf_counter - counts one event in one context
 * @event_node: in ctx->sw[], or in ctx->hash
 * @desc: the descriptor it counts for
 * @group_enabled: itself and its leader are enabled, so it counts where it can
 * @filter: FILTER_*
 * @exec_seen: as @ctx has it, unless an exec has yet to look at it
 * @tells_state: its PMU is told when it is enabled, and when not
 * @cpu: the only CPU to count on, -1 for all
 * @count: events so far, since it exists; only its own CPU adds
 * @period: events per sample, 0 when it does not sample
 * @period_left: events until the next sample; at 0 or below one is due
 * @freq_stamp: its running time at the last change of @period, in frequency mode
 * @freq_count: @count then
 * @base: @count at the last reset
 * @enabled: switched on by its user, or about to be: its own state alone
 * @enable_on_exec: @enabled is set at the next exec
 * @needs_load: it is loaded and unloaded with its context, to count only while it is
 * @pmu_ctx: of a leader: where its group is listed, if some of its counters load
 * @failed: of a pinned leader: there was no room, until it is enabled again
 * @rewind: of the PMU: its register is to be set anew in the next tick
 * @with: WITH_*: what few have, and what more there is to be done to load and unload it
 * @loaded: on its CPU, counting or with its timer started
 * @time_enabled: context time with @group_enabled set, up to @enabled_stamp
 * @time_running: of that, time on the right CPU, up to @run_stamp
 * @enabled_stamp: context time when @group_enabled was set
 * @run_stamp: context time when @loaded was set
 * @timer: of a sampling clock
 * @due: how long it will have run when its next sample is due, ns
 * @hw: of a counter of the PMU
 * @off_from: of a counter of time off the CPU: perf_counter_clock() when it was enabled
 * @off_counted: likewise: time before is counted, or not to be counted
 * @window_end: when its throttle window ends, ns; of the PMU's, and of time off the CPU, which
 *	jiffy it is
 * @window_samples: samples in that window
 * @throttled: no more samples in that window
 * @ctx: where it counts; NULL before and after
 * @ctx_node: in ctx->counters
 * @load_node: there, in one of its two lists
 * @sideband_node: in ctx->sideband
 * @desc_node: in desc->counters
 * @leader: of its group in this context, itself when it leads
 * @members: a leader's others, in the order they joined; RCU
 * @nr_members: how many
 * @member_node: there
 * @stream_id: unique, for PERF_SAMPLE_STREAM_ID
 * @heir: during a fork of ctx->task, the child's counter made from this one
 *
 * What events use comes first. All but @count, @period, @period_left, the
 * throttle and @heir is guarded by ctx->lock; @ctx changes with desc->mutex
 * held too; @heir is guarded by ctx->mutex.
 */
struct perf_counter {
	struct hlist_node		event_node;
	struct perf_counter_desc	*desc;
	bool				group_enabled;
	u8				filter;
	bool				exec_seen;
	bool				tells_state;
	int				cpu;
	local64_t			count;
	u64				period;
	local64_t			period_left;
	u64				freq_stamp;
	u64				freq_count;

	u64				base;
	bool				enabled;
	bool				enable_on_exec;
	bool				needs_load;
	bool				throttled;
	bool				failed;
	bool				rewind;
	u8				with;
	bool				loaded;
	u64				time_enabled;
	u64				time_running;
	u64				enabled_stamp;
	u64				run_stamp;

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
	u64				window_end;

	struct perf_counter_ctx		*ctx;
	struct list_head		ctx_node;
	struct perf_counter_pmu_ctx	*pmu_ctx;
	struct list_head		load_node;
	struct list_head		sideband_node;
	struct list_head		desc_node;
	struct perf_counter		*leader;
	struct list_head		members;
	unsigned int			nr_members;
	unsigned int			window_samples;
	struct list_head		member_node;
	u64				stream_id;
	struct perf_counter		*heir;
};

/**
 * struct perf_counter_pmu_cpu - what a PMU whose room is limited does on a CPU
 * @pmu: the PMU
 * @disable: its operation
 * @enable: likewise
 * @here: the CPU has it, and neither comes nor goes; without that nothing is loaded
 * @depth: of begin and end; inside it counts nothing
 * @nr_loaded: counters of it that are loaded
 * @exclusive: stream_id of the leader whose group is loaded alone; or 0
 * @user: the current task reads counters by itself
 * @starved: some group that could run found no room
 * @first: the kind of context whose flexible groups go first, this turn
 * @online: the CPU is there, and @tick may be started
 * @ticking: @tick is started, or will be by @kick
 * @tick: for turns, frequencies and what is throttled
 * @kick: starts @tick from an NMI
 *
 * It is changed on its CPU alone, with IRQs off; @ticking in NMIs, too.
 */
struct perf_counter_pmu_cpu {
	const struct perf_counter_pmu	*pmu;
	void				(*disable)(void);
	bool				(*enable)(void);
	bool				here;
	unsigned int			depth;
	unsigned int			nr_loaded;
	u64				exclusive;
	bool				user;
	bool				starved;
	unsigned int			first;
	bool				online;
	bool				ticking;
	struct hrtimer			tick;
	struct irq_work			kick;
};

/**
 * struct perf_counter_pmu - something that counts
 * @node: among all
 * @cpu: of a PMU that has room for so many counters at a time; NULL: for all
 * @cpus: the CPUs that have it; NULL: all
 * @halted: nothing of it is loaded now; see perf_counter_pmu_halt()
 * @types: a bit for each PERF_TYPE_* of which it may have events; 0: @event_init is
 *	asked for all
 * @event_init: can it count what the descriptor's attr says? 0 if so, having
 *	set @desc->event, @desc->event_id and @desc->needs_load as needed; -ENOENT: the event is not
 *	of this PMU; else what the opener gets. May sleep.
 * @attached: its first counter is in its context. May sleep.
 * @counter_init: set up one counter, which has its filter, but for that of an heir. May sleep.
 * @counter_exit: nobody uses it any more. May sleep. Called for the first
 *	counter of a descriptor that samples.
 * @event_exit: the descriptor, which was given by a successful @event_init, has
 *	no counter any more. May sleep.
 * @free: and no event is using it any more. Any context.
 * @set_filter: of the events that happen, @text says which count: 0, or what the program gets.
 *	May sleep.
 * @query_bpf: the BPF programs of the event, as PERF_EVENT_IOC_QUERY_BPF has them. May sleep.
 * @hand_over: have perf_events open the event, where more is needed for that than
 *	perf_event_hand_over(). May sleep.
 * @add: start counting on this CPU, since counter->run_stamp; 0 or an error. ctx->lock held.
 * @del: stop, at context time @now. ctx->lock held.
 * @read: bring counter->count up to date. ctx->lock held, or from an event.
 * @state: a counter that tells its state is enabled from now on (@on), or is about to be no
 *	more. ctx->lock held.
 * @hold: its recorder of branches is used by a descriptor of another PMU; 0, or what the
 *	program gets. May sleep.
 * @let_go: and not any more. May sleep.
 *
 * All but @event_init may be NULL. A PMU with limited room has besides, called on the
 * CPU they are about, with IRQs off:
 *
 * @disable: it counts nothing on this CPU from here on
 * @enable: what is loaded counts. True when what a program reads by itself is
 *	elsewhere now. @add and @del come between the two.
 * @reset: this CPU has just come, or is about to go: nothing is loaded
 * @read_here: what a counter that is loaded on this CPU has counted, its reset not
 *	considered; from NMIs, too
 * @tick: a tick has passed, and the counter is loaded; between @disable and
 *	@enable. True when it wants to be told of the next one.
 * @fits: would @leader's group with @desc in it have room, if it had the PMU for itself?
 *	leader->mutex held
 * @user_may: may programs read the counter by themselves? NULL: they cannot.
 * @user_page: write to a control page how a program reads the counter, if it is
 *	@readable now, and the clock as it goes on
 * @user_access: the current task may read counters of this CPU, or not any more
 * @reg: a register of its own, PERF_REG_*, as it was when a sample was due; for that sample.
 *	NULL: samples have none. Where PMUs can decide on sets
 */
struct perf_counter_pmu {
	struct list_head			node;
	struct perf_counter_pmu_cpu __percpu	*cpu;
	const struct cpumask			*cpus;
	bool					halted;
	u32					types;

	int	(*event_init)(const struct perf_counter_pmu *pmu, struct perf_counter_desc *desc);
	void	(*attached)(struct perf_counter_desc *desc);
	void	(*counter_init)(struct perf_counter *counter);
	void	(*counter_exit)(struct perf_counter *counter);
	void	(*event_exit)(struct perf_counter_desc *desc);
	void	(*free)(struct perf_counter_desc *desc);
	int	(*set_filter)(struct perf_counter_desc *desc, char *text);
	int	(*query_bpf)(struct perf_counter_desc *desc, void __user *info);
	int	(*hand_over)(struct perf_counter_desc *desc,
			     struct perf_counter_handover *handover);
	int	(*add)(struct perf_counter *counter);
	void	(*del)(struct perf_counter *counter, u64 now);
	void	(*read)(struct perf_counter *counter);
	void	(*state)(struct perf_counter *counter, bool on);
	int	(*hold)(const struct perf_counter_pmu *pmu);
	void	(*let_go)(const struct perf_counter_pmu *pmu);

	void	(*disable)(void);
	bool	(*enable)(void);
	void	(*reset)(void);
	u64	(*read_here)(const struct perf_counter_hw *hw);
	bool	(*tick)(struct perf_counter *counter, u64 now);
	bool	(*fits)(const struct perf_counter_desc *leader,
			const struct perf_counter_desc *desc);
	bool	(*user_may)(void);
	void	(*user_page)(const struct perf_counter *counter, bool readable, u64 clock,
			     struct perf_event_mmap_page *page);
	void	(*user_access)(bool on);
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
	u64	(*reg)(unsigned int nr);
#endif
};

/* Whose room a counter of @pmu needs; NULL when there is room always. */
static inline const struct perf_counter_pmu *
perf_counter_limited(const struct perf_counter_pmu *pmu)
{
	return pmu->cpu ? pmu : NULL;
}

/* desc->hangup */
enum {
	NO_HANGUP,
	HANGUP,
	HANGUP_TOLD,
};

/**
 * struct perf_counter_desc - what a file descriptor stands for
 * @work: leaves the context of an event: signals, and the limit
 * @stop_work: takes @work to where it may wait for other CPUs
 * @free: frees it, once no event can be using it
 * @attr: as opened
 * @pmu: what counts
 * @handed: file of perf_events that the descriptor was handed over to, with a reference; NULL:
 *	it was not. Set once, with @mutex and @writer.mutex held
 * @event: number of a software event, an index of ctx->sw[]; -1 for none
 * @event_id: of an event that is found in ctx->hash; 0 for none
 * @tracepoint: of a tracepoint, its source
 * @filter: likewise: which of its records count; NULL: all. RCU; it is set but once
 * @missed: events that could not be recorded, or judged: they happened while an event was being
 *	recorded in the same context, or their record is too long
 * @task: it counts tasks, not CPUs
 * @compat: perf_event_open() has opened it
 * @needs_group: the PMU has no room for it but in a group with others
 * @cpu: the only CPU to count on, -1 for all
 * @needs_load: its counters are loaded and unloaded with their contexts
 * @sideband: they want records of what tasks do
 * @machine: it wants records of the machine
 * @leaves_work: @work, @stop_work and @free are set up
 * @hooks: that it depends on, a bit for each
 * @sample_header: of a SAMPLE record in kernel mode; its size is that of the header and of
 *	the fields whose size is known
 * @branches: of those before a sample, what is to be recorded, PERF_COUNTER_BRANCH_*; 0: its
 *	samples have none
 * @branch_types: of them, the types that its samples have, a bit for each
 * @id_size: bytes of the trailer that sample_id_all asks for, or 0
 * @read_size: bytes that read() returns, unless it reads a group
 * @wakeup_events: samples until a notification, 0 when bytes decide
 * @clock: of the time fields
 * @ns: pid namespace of the opener, in which ids are recorded
 * @writer: where records go, if anywhere, and who waits for them
 * @limit: overflows until it disables itself; -1 for no limit, 0 when used up; of
 *	the kernel's own INT_MAX, so that whoever looks at it comes by @overflow
 * @overflow: of the kernel's own: called for each, and no record is written
 * @limited: overflows under a limit that are being dealt with
 * @hangup: with @limit 0: the last record is written; and its signal sent
 * @stopped: and its counters are switched off
 * @fasync: who gets signals
 * @mutex: serialises operations; guards @counters, what the ended had, and
 *	of a leader @members
 * @counters: those that count for it now
 * @first: the one where it was opened, unless there are several
 * @cpus: for the whole machine, the counters of each possible CPU; else NULL
 * @elsewhere: CPUs that cannot count it, while others can; NULL: there are none
 * @gone_count: what counters of ended tasks had counted; read without @mutex
 *	by a read of the group
 * @gone_enabled: and for how long, enabled
 * @gone_running: and running
 * @closed: no counter may be added
 * @handing: bit 0 is a lock: the descriptor is being handed over, or given a filter
 * @leader: of its group; itself when it leads. RCU, changed under the old
 *	leader's @mutex
 * @members: a leader's others
 * @member_node: there
 * @nr_members: how many
 * @slot: its place among them, from 1; a leader's is 0; the leader's @mutex
 * @id: unique, for PERF_FORMAT_ID and the like
 * @owner: the task that opened it, with a reference; NULL after the end of that task, and for
 *	the kernel's own. RCU; changes under the perf_counter_mutex of the task
 * @owner_node: in owner->perf_counter_owned while the owner lives, under its
 *	perf_counter_mutex
 * @machine_node: among those that want records of the machine, if it does
 * @label: the security module's, if it has one
 * @refs: the file, and whoever works on it
 */
struct perf_counter_desc {
	/* Of those that sample or send signals, which set it up. */
	struct irq_work			work;
	struct work_struct		stop_work;
	struct rcu_work			free;
	/* From here on zero at first. */
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
	bool				needs_load;
	bool				sideband;
	bool				machine;
	bool				leaves_work;
	u32				hooks;
	struct perf_event_header	sample_header;
	u16				branches;
	u16				branch_types;
	u16				id_size;
	u16				read_size;
	u32				wakeup_events;
	u64				(*clock)(void);
	struct pid_namespace		*ns;
	struct perf_counter_writer	writer;
	atomic_t			limit;
	perf_counter_overflow_fn	overflow;
	atomic_t			limited;
	atomic_t			hangup;
	bool				stopped;
	struct fasync_struct		*fasync;

	struct mutex			mutex;	/* operations */
	struct list_head		counters;
	struct perf_counter		first;
	struct perf_counter __percpu	*cpus;
	const struct cpumask		*elsewhere;
	atomic64_t			gone_count;
	u64				gone_enabled;
	u64				gone_running;
	bool				closed;
	unsigned long			handing;
	struct perf_counter_desc __rcu	*leader;
	struct list_head		members;
	struct list_head		member_node;
	unsigned int			nr_members;
	unsigned int			slot;
	u64				id;

	struct task_struct		*owner;
	struct list_head		owner_node;
	struct list_head		machine_node;
	struct perf_counter_label	*label;
	refcount_t			refs;
};

/* The CPUs that a descriptor has a counter of its own for; one stands for all tasks. */
static inline const struct cpumask *perf_counter_desc_cpus(struct perf_counter_desc *desc)
{
	return desc->cpus ? cpu_possible_mask : cpumask_of(0);
}

/* The first of them. */
static inline int perf_counter_first_cpu(struct perf_counter_desc *desc)
{
	return cpumask_first(perf_counter_desc_cpus(desc));
}

/* The counter that @desc was opened with for @cpu, one of those. */
static inline struct perf_counter *perf_counter_opened(struct perf_counter_desc *desc, int cpu)
{
	return desc->cpus ? per_cpu_ptr(desc->cpus, cpu) : &desc->first;
}

/* Has @task a user mode? What the kernel starts may have a program's memory, and yet none. */
static inline bool perf_counter_has_user_mode(const struct task_struct *task)
{
	return !(task->flags & (PF_KTHREAD | PF_USER_WORKER));
}

/* A count with its times, ns. */
struct perf_counter_value {
	u64	count;
	u64	enabled;
	u64	running;
};

static inline void perf_counter_value_add(struct perf_counter_value *sum,
					  const struct perf_counter_value *value)
{
	sum->count += value->count;
	sum->enabled += value->enabled;
	sum->running += value->running;
}

/* Bytes that a group's values may take: a record, header.size, is 64 KiB. */
#define PERF_COUNTER_READ_SIZE_MAX	16384

/* Read formats of this version. */
#define PERF_COUNTER_READ_FORMATS						\
	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |	\
	 PERF_FORMAT_ID | PERF_FORMAT_GROUP | PERF_FORMAT_LOST)

/* The clock behind context time. NMI-safe; of this CPU; ns. */
static inline u64 perf_counter_clock(void)
{
	return local_clock();
}

/* Time of a live context when perf_counter_clock() says @clock, by its two fields. */
static inline u64 perf_counter_time_at(u64 clock, u64 clock_offset, u64 clock_frozen)
{
	/* Another CPU's clock may be a little behind. */
	return max_t(s64, clock - clock_offset, clock_frozen);
}

/* The same. As the next one. */
static inline u64 perf_counter_ctx_time_at(struct perf_counter_ctx *ctx, u64 clock)
{
	return perf_counter_time_at(clock, READ_ONCE(ctx->clock_offset),
				    READ_ONCE(ctx->clock_frozen));
}

/*
 * Context time now. With ctx->lock held; or in an event of the context
 * itself, where each of the two fields is valid before live_cpu says so.
 */
static inline u64 perf_counter_ctx_time(struct perf_counter_ctx *ctx)
{
	if (READ_ONCE(ctx->live_cpu) < 0)
		return READ_ONCE(ctx->clock_frozen);
	return perf_counter_ctx_time_at(ctx, perf_counter_clock());
}

/* Context time from @stamp to @now; stamps by another CPU's clock may be ahead. */
static inline u64 perf_counter_since(u64 now, u64 stamp)
{
	return max_t(s64, now - stamp, 0);
}

/* How long @counter has counted at context time @now. With ctx->lock held, or in an event. */
static inline u64 perf_counter_time_running(struct perf_counter *counter, u64 now)
{
	if (!counter->needs_load)
		return counter->time_enabled +
		       (counter->group_enabled ?
			perf_counter_since(now, counter->enabled_stamp) : 0);
	return counter->time_running +
	       (counter->loaded ? perf_counter_since(now, counter->run_stamp) : 0);
}

/*
 * The same in an event of @counter, whose context may just be going. Then it
 * does not matter any more.
 */
static inline u64 perf_counter_event_time(struct perf_counter *counter)
{
	struct perf_counter_ctx *ctx = READ_ONCE(counter->ctx);

	return ctx ? perf_counter_ctx_time(ctx) : 0;
}

/* How long @counter has counted so far, in an event of it. */
static inline u64 perf_counter_run_time(struct perf_counter *counter)
{
	return perf_counter_time_running(counter, perf_counter_event_time(counter));
}

/* What a read format wants of @value and of @desc, for read() and records alike. */
static inline u64 __ring *perf_counter_put_times(u64 __ring *at, u64 format,
						 const struct perf_counter_value *value)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		at = ring_put(at, value->enabled);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		at = ring_put(at, value->running);
	return at;
}

static inline u64 __ring *perf_counter_put_ids(u64 __ring *at, u64 format,
					       struct perf_counter_desc *desc)
{
	if (format & PERF_FORMAT_ID)
		at = ring_put(at, desc->id);
	if (format & PERF_FORMAT_LOST)
		at = ring_put(at, atomic64_read(&desc->writer.lost));
	return at;
}

/* desc.c */
struct perf_counter_desc *perf_counter_desc_alloc(const struct perf_counter_attr *attr, bool task,
						  int cpu, perf_counter_overflow_fn overflow);
void perf_counter_desc_close(struct perf_counter_desc *desc);
void perf_counter_desc_put(struct perf_counter_desc *desc);
void perf_counter_leave_owner(struct perf_counter_desc *desc);
void perf_counter_desc_expect_signals(struct perf_counter_desc *desc);
u64 perf_counter_first_period(struct perf_counter_desc *desc);

/* group.c */
struct perf_counter_desc *perf_counter_group_lock(struct perf_counter_desc *desc);
void perf_counter_group_unlock(struct perf_counter_desc *leader);
void perf_counter_group_leave(struct perf_counter_desc *desc);

/* attach.c */
int perf_counter_attach_task(struct perf_counter_desc *desc, struct task_struct *task,
			     struct perf_counter_desc *leader);
int perf_counter_attach_cpu(struct perf_counter_desc *desc, struct perf_counter_desc *leader);

/* operate.c */
void perf_counter_op_enable(struct perf_counter_desc *desc);
void perf_counter_op_disable(struct perf_counter_desc *desc);
void perf_counter_op_reset(struct perf_counter_desc *desc);
void perf_counter_desc_do(struct perf_counter_desc *desc,
			  void (*op)(struct perf_counter_desc *desc));
void perf_counter_group_do(struct perf_counter_desc *desc,
			   void (*op)(struct perf_counter_desc *desc));
int perf_counter_desc_refresh(struct perf_counter_desc *desc, unsigned long nr);
int perf_counter_desc_set_period(struct perf_counter_desc *desc, u64 value);

/* limit.c */
bool perf_counter_is_over(struct perf_counter_desc *desc);

/* Has all that a descriptor counted ended? Context: any. */
static inline bool perf_counter_has_ended(const struct perf_counter_desc *desc)
{
	return list_empty_careful(&desc->counters);
}

/* handover.c */
int perf_counter_handover_begin(struct perf_counter_desc *desc,
				struct perf_counter_handover *handover);
int perf_counter_handover_end(struct perf_counter_desc *desc,
			      struct perf_counter_handover *handover);

/*
 * The file of perf_events that @desc was handed over to, or NULL. Its event may not have its
 * count yet: desc->mutex is held until it has. Any context.
 */
static __always_inline struct file *perf_counter_handed(const struct perf_counter_desc *desc)
{
	/* Partner: the release in desc_replace(). The file is reached by its address alone. */
	return IS_ENABLED(CONFIG_PERF_EVENTS) ? READ_ONCE(desc->handed) : NULL;
}

/* read.c */
struct perf_counter_value perf_counter_desc_value(struct perf_counter_desc *desc);
ssize_t perf_counter_read_desc(struct perf_counter_desc *desc, char __user *buf, size_t count);

/* attr.c */
int perf_counter_copy_attr(struct perf_counter_attr __user *uattr, struct perf_counter_attr *attr);
int perf_counter_check_attr(struct perf_counter_attr *attr);

/* permission.c */
extern int sysctl_perf_counter_paranoid;
int perf_counter_may_open(const struct perf_counter_attr *attr, bool cpu_wide);
int perf_counter_may_trace(void);
void perf_counter_drop_machine(struct perf_counter_attr *attr);
bool perf_counter_may_watch(struct task_struct *task, bool memory);

#if defined(CONFIG_SECURITY) && defined(CONFIG_PERF_EVENTS)
#define PERF_COUNTER_LABELS

/**
 * struct perf_counter_label - a security module's label of descriptors
 * @event: what security modules label: they know no other. It is nothing but the label.
 * @cred: of the task that opened them. It decides on the label, and all that a task opens
 *	with it share one.
 * @refs: those descriptors
 */
struct perf_counter_label {
	struct perf_event	event;
	const struct cred	*cred;
	refcount_t		refs;
};

static inline int perf_counter_label_read(struct perf_counter_desc *desc)
{
	return security_perf_event_read(&desc->label->event);
}

static inline int perf_counter_label_write(struct perf_counter_desc *desc)
{
	return security_perf_event_write(&desc->label->event);
}
#else
static inline int perf_counter_label_read(struct perf_counter_desc *desc) { return 0; }
static inline int perf_counter_label_write(struct perf_counter_desc *desc) { return 0; }
#endif

/* state.c */
u64 perf_counter_count(struct perf_counter *counter);
void perf_counter_value_of(struct perf_counter *counter, u64 now,
			   struct perf_counter_value *value);

/* counter.c */
void perf_counter_set_enabled(struct perf_counter *counter, bool enabled);
void perf_counter_set_period(struct perf_counter *counter, u64 period);

/* event.c */
extern struct pt_regs perf_counter_no_regs;
void perf_counter_sw_event_here(u32 id, unsigned long ip);
bool perf_counter_filtered(struct perf_counter *counter, struct pt_regs *regs);
u64 perf_counter_period_over(struct perf_counter *counter, u64 nr);

/* ctx.c */
DECLARE_PER_CPU(struct perf_counter_ctx, perf_counter_cpu_ctx);
void perf_counter_ctx_call(struct perf_counter_ctx *ctx, void (*fn)(void *arg), void *arg,
			   bool atomic);

/* sched.c */
void perf_counter_unload(struct perf_counter *counter, u64 now);
void perf_counter_reload(struct perf_counter *counter, u64 now);
void perf_counter_tick_start(const struct perf_counter_pmu *pmu);

/* branch.c */
const struct perf_counter_pmu *
perf_counter_set_recorder_pmu(const struct perf_counter_pmu *pmu,
			      const struct perf_counter_recorder *recorder);

/* pmu.c */
int perf_counter_register_pmu(struct perf_counter_pmu *pmu);
void perf_counter_unregister_pmu(struct perf_counter_pmu *pmu);
void perf_counter_pmu_halt(struct perf_counter_pmu *pmu);
void perf_counter_pmu_go_on(struct perf_counter_pmu *pmu);
void perf_counter_pmu_change(const struct perf_counter_pmu *pmu, void (*change)(void));

/* control.c */
void perf_counter_update_control(struct perf_counter_desc *desc);
void perf_counter_control_moved(struct perf_counter *counter);

/* budget.c */
bool perf_counter_budget_is_spent(void);
void perf_counter_budget_look(void);

/* overflow.c */
extern unsigned int perf_counter_max_samples_per_tick;
extern int sysctl_perf_counter_max_sample_rate;
bool perf_counter_replace_max_sample_rate(int from, int to);
bool perf_counter_overflow_limited(struct perf_counter *counter,
				   const struct perf_counter_sample *sample, struct pt_regs *regs);
void perf_counter_freq_adapt(struct perf_counter *counter, u64 count);
bool perf_counter_throttle_slow(struct perf_counter *counter, bool over, u64 window_end);

/**
 * perf_counter_overflow() - a sample is due
 * @counter: whose
 * @sample: what is known of the event
 * @regs: its registers
 *
 * A signal, or the end of a limit, waits until the context of the event is left.
 *
 * Context: any, NMI included; preemption disabled.
 * Return: true when no further sample is wanted: the limit that REFRESH set
 * is used up.
 */
static __always_inline bool perf_counter_overflow(struct perf_counter *counter,
						  const struct perf_counter_sample *sample,
						  struct pt_regs *regs)
{
	struct perf_counter_desc *desc = counter->desc;

	if (unlikely(atomic_read(&desc->limit) >= 0))
		return perf_counter_overflow_limited(counter, sample, regs);
	perf_counter_output_sample(counter, sample, regs);
	if (unlikely(READ_ONCE(desc->fasync)))
		irq_work_queue(&desc->work);
	return false;
}

/**
 * perf_counter_throttle() - keep to the rate limit
 * @counter: a sample of it is due
 * @over: its throttle window is over
 * @window_end: if so, when the next one will be
 *
 * Writes THROTTLE and UNTHROTTLE records.
 *
 * Context: any, NMI included; preemption disabled.
 * Return: true when there are to be no more samples in this window.
 */
static __always_inline bool perf_counter_throttle(struct perf_counter *counter, bool over,
						  u64 window_end)
{
	if (unlikely(over || counter->window_samples >=
			     READ_ONCE(perf_counter_max_samples_per_tick)))
		return perf_counter_throttle_slow(counter, over, window_end);
	counter->window_samples++;
	return false;
}

#endif /* _PERF_COUNTER_CONTEXT_CONTEXT_H */
