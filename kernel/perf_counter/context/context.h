/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of perf_counter share with one another.
 *
 * A *counter* counts one event in one context. A *context* is a task or a
 * CPU. A *descriptor* is what a program opened: its attributes, the counters
 * that count for it (one where it was opened, one more for each task that
 * inherited it) and what the counters of ended tasks had counted. A *buffer*
 * is a ring with the mappings and descriptors that use it.
 *
 * Lock order, outermost first:
 *
 *   task->signal->exec_update_lock	open
 *   task->perf_counter_mutex		descriptors that a task created
 *   ctx->mutex				who may join a context; fork, exit
 *   desc->mutex (leader, then member)	desc->counters, groups, operations
 *   mmap_lock				by the caller of mmap, never by us
 *   desc->buffer_mutex			desc->buffer
 *   buffer->splice_mutex		inside the pipe's mutex, of its caller
 *   hooks_mutex			static keys
 *   rq->lock				by the scheduler around its hooks
 *   ctx->lock (IRQs off)		state and times of a context's counters; a
 *					CPU's, then that of the task on it
 *
 * buffer->lock (IRQs off) is taken inside desc->buffer_mutex, and to notify;
 * inside it, the locks of pollers. A fork may hold its ctx->mutex when it takes
 * tasklist_lock, and an open takes that with none of them held.
 *
 * What runs on a CPU at the moment, counters that are loaded and whether there
 * was room for them, changes on that CPU alone, with IRQs off: a context that
 * is live there and has counters to load is left to it by ctx_call().
 *
 * Neither ctx->mutex nor desc->mutex is held where user memory is touched.
 * Events take no lock: they walk a context's lists under RCU, with preemption
 * off, look at counter->on, and use what does not change while it is set.
 */
#ifndef _KERNEL_PERF_COUNTER_H
#define _KERNEL_PERF_COUNTER_H

#include <asm/local64.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/perf_counter.h>
#include <linux/perf_counter_hw.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/refcount.h>
#include <linux/sched/clock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <uapi/linux/perf_counter.h>

#include "perf_counter_ring.h"

struct perf_counter;
struct perf_counter_desc;
struct perf_counter_pmu;
struct pipe_inode_info;

extern const struct perf_counter_pmu perf_counter_hw_pmu;

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
 * @sideband: counters that want side-band records
 * @pinned: leaders of the groups with something to do when the context starts
 *	or stops running, which go first and must fit
 * @flexible: the others, which take turns when there is no room for all
 * @nr_load: counters in those groups that have it to do
 * @nr_hw: of them, counters of the PMU
 * @nr_user: of those, counters that their program reads by itself
 * @joined: a counter that children inherit has joined since a fork of the task last looked
 * @forks: a fork of the task holds @mutex until the child is visible
 * @counters: all, group leaders before their members
 * @nr_counters: how many
 * @nr_inherit: of them, counters that children of the task inherit
 * @mutex: held while a counter joins, and by a task's fork and exit
 * @refs: the task, and whoever works on the context
 * @rcu: frees it
 *
 * Context time is the time that a task has run, or a CPU has been online,
 * in ns, since the context exists.
 */
struct perf_counter_ctx {
	struct task_struct	*task;
	raw_spinlock_t		lock;
	int			live_cpu;
	u64			clock_offset;
	u64			clock_frozen;
	struct hlist_head	sw[PERF_COUNTER_SW_EVENTS];
	struct list_head	sideband;
	struct list_head	pinned;
	struct list_head	flexible;
	unsigned int		nr_load;
	unsigned int		nr_hw;
	unsigned int		nr_user;
	bool			joined;
	bool			forks;

	struct list_head	counters;
	unsigned int		nr_counters;
	unsigned int		nr_inherit;
	struct mutex		mutex;		/* who joins; fork and exit */
	refcount_t		refs;
	struct rcu_head		rcu;
};

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
#define FILTER_ALWAYS		BIT(4)	/* outside guests: software always is */
#define FILTER_UNLOADED		BIT(5)	/* while its group has no room on the PMU */

/**
 * struct perf_counter - counts one event in one context
 * @event_node: in ctx->sw[]
 * @desc: the descriptor it counts for
 * @on: it counts; itself and its leader are enabled and its limit not used up
 * @filter: FILTER_*
 * @cpu: the only CPU to count on, -1 for all
 * @count: events so far, since it exists; only its own CPU adds
 * @period: events per sample, 0 when it does not sample
 * @period_left: events until the next sample; at 0 or below one is due
 * @freq_stamp: its running time at the last change of @period, in frequency mode
 * @freq_count: @count then
 * @base: @count at the last reset
 * @enabled: switched on by its user, or about to be: its own state alone
 * @enable_on_exec: @enabled is set at the next exec
 * @load: it is started and stopped with its context
 * @hw_group: of a leader: some counter of the group is of the PMU
 * @failed: of a pinned leader: there was no room, until it is enabled again
 * @rewind: of the PMU: its register is to be set anew in the next tick
 * @user: its program has mapped it, and may read the register that it has
 * @is_loaded: on its CPU, counting or with its timer started
 * @time_enabled: context time with @on set, up to @on_stamp
 * @time_running: of that, time on the right CPU, up to @run_stamp
 * @on_stamp: context time when @on was set
 * @run_stamp: context time when @is_loaded was set
 * @timer: of a sampling clock
 * @hw: of a counter of the PMU
 * @window_end: when its throttle window ends, ns; of the PMU's, jiffies
 * @window_samples: samples in that window
 * @throttled: no more samples in that window
 * @ctx: where it counts; NULL before and after
 * @ctx_node: in ctx->counters
 * @load_node: of a leader, in ctx->pinned or ctx->flexible
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
	bool				on;
	u8				filter;
	int				cpu;
	local64_t			count;
	u64				period;
	local64_t			period_left;
	u64				freq_stamp;
	u64				freq_count;

	u64				base;
	bool				enabled;
	bool				enable_on_exec;
	bool				load;
	bool				hw_group;
	bool				failed;
	bool				rewind;
	bool				user;
	bool				is_loaded;
	u64				time_enabled;
	u64				time_running;
	u64				on_stamp;
	u64				run_stamp;

	union {
		struct hrtimer		timer;
		struct perf_counter_hw	hw;
	};
	u64				window_end;
	unsigned int			window_samples;
	bool				throttled;

	struct perf_counter_ctx		*ctx;
	struct list_head		ctx_node;
	struct list_head		load_node;
	struct list_head		sideband_node;
	struct list_head		desc_node;
	struct perf_counter		*leader;
	struct list_head		members;
	unsigned int			nr_members;
	struct list_head		member_node;
	u64				stream_id;
	struct perf_counter		*heir;
};

/**
 * struct perf_counter_pmu - something that counts
 * @event_init: can it count what the descriptor's attr says? 0 if so, having
 *	set @desc->event and @desc->load as needed; -ENOENT: the event is not
 *	of this PMU; else what the opener gets. May sleep.
 * @counter_init: set up one counter. May sleep.
 * @counter_exit: nobody uses it any more. May sleep. Called for the first
 *	counter of a descriptor that samples.
 * @event_exit: the descriptor, which was given by a successful @event_init, has
 *	no counter any more. May sleep.
 * @add: start counting on this CPU; 0 or an error. ctx->lock held.
 * @del: stop. ctx->lock held.
 * @read: bring counter->count up to date. ctx->lock held, or from an event.
 *
 * All but @event_init may be NULL.
 */
struct perf_counter_pmu {
	int		(*event_init)(struct perf_counter_desc *desc);
	void		(*counter_init)(struct perf_counter *counter);
	void		(*counter_exit)(struct perf_counter *counter);
	void		(*event_exit)(struct perf_counter_desc *desc);
	int		(*add)(struct perf_counter *counter);
	void		(*del)(struct perf_counter *counter);
	void		(*read)(struct perf_counter *counter);
};

/**
 * struct perf_counter_buffer - rings, who maps them and who writes to them
 * @pages: control page, then the data pages
 * @nr_pages: number of data pages
 * @control: the control page
 * @cpu: the CPU that does all the writing; -1 for any
 * @nr_rings: none for a control page alone
 * @refs: mappings and descriptors; freed with the last
 * @mappings: how often it is mapped
 * @lock: guards @writers; taken with IRQs off
 * @writers: descriptors whose records it takes
 * @notify: tells the pollers of all @writers
 * @notified: something to read since the last poll of an overwritten ring
 * @splice_mutex: one splice at a time; guards @splice_next
 * @splice_next: ring that the next splice begins with
 * @user: who is charged for the pages
 * @user_pages: of them, within the user's allowance
 * @mm: who is charged for the rest, and where its pages are mapped
 * @pinned_pages: the rest
 * @free: frees it, once no event can be writing
 * @rings: CPUs take them in turn: CPU i writes to ring i modulo @nr_rings, a
 *	power of two
 */
struct perf_counter_buffer {
	struct page			**pages;
	unsigned int			nr_pages;
	struct perf_event_mmap_page	*control;
	int				cpu;
	unsigned int			nr_rings;
	refcount_t			refs;
	atomic_t			mappings;
	spinlock_t			lock;	/* writers */
	struct hlist_head		writers;
	struct irq_work			notify;
	atomic_t			notified;
	struct mutex			splice_mutex;	/* splice_next */
	unsigned int			splice_next;
	struct user_struct		*user;
	unsigned long			user_pages;
	struct mm_struct		*mm;
	unsigned long			pinned_pages;
	struct rcu_work			free;
	struct perf_counter_ring	rings[];
};

/* The ring that this CPU writes to. Preemption disabled. */
static __always_inline struct perf_counter_ring *
perf_counter_buffer_ring(struct perf_counter_buffer *buffer)
{
	return &buffer->rings[smp_processor_id() & (buffer->nr_rings - 1)];
}

/* desc->hangup */
enum {
	NO_HANGUP,
	HANGUP,
	HANGUP_TOLD,
};

/**
 * struct perf_counter_desc - what a file descriptor stands for
 * @attr: as opened
 * @pmu: what counts
 * @event: number of a software event, an index of ctx->sw[]; -1 for none
 * @task: it counts tasks, not CPUs
 * @cpu: the only CPU to count on, -1 for all
 * @load: its counters have something to do when their context starts or
 *	stops running
 * @sideband: they want records of what tasks do
 * @machine: it wants records of the machine
 * @sample_size: bytes of a SAMPLE record's fields of fixed size, header included
 * @id_size: bytes of the trailer that sample_id_all asks for, or 0
 * @read_size: bytes that read() returns, unless it reads a group
 * @wakeup_events: samples until a notification, 0 when bytes decide
 * @clock: of the time fields
 * @ns: pid namespace of the opener, in which ids are recorded
 * @buffer: where records go, if anywhere; RCU, changed under @buffer_mutex
 * @limit: overflows until it disables itself; -1 for no limit, 0 when used up
 * @lost: records that @buffer had no room for
 * @work: leaves the context of an event: signals, and the limit
 * @stop_work: takes @work to where it may wait for other CPUs
 * @limited: overflows under a limit that are being dealt with
 * @hangup: with @limit 0: the last record is written; and its signal sent
 * @stopped: and its counters are switched off
 * @waitq: pollers
 * @fasync: who gets signals
 * @mutex: serialises operations; guards @counters, what the ended had, and
 *	of a leader @members
 * @counters: those that count for it now
 * @first: the one where it was opened, unless there are several
 * @cpus: for the whole machine, the counters of each possible CPU; else NULL
 * @gone_count: what counters of ended tasks had counted; read without @mutex
 *	by a read of the group
 * @gone_enabled: and for how long, enabled
 * @gone_running: and running
 * @closed: no counter may be added
 * @leader: of its group; itself when it leads. RCU, changed under the old
 *	leader's @mutex
 * @members: a leader's others
 * @member_node: there
 * @nr_members: how many
 * @slot: its place among them, from 1; a leader's is 0; the leader's @mutex
 * @id: unique, for PERF_FORMAT_ID and the like
 * @buffer_mutex: guards changes of @buffer
 * @mapped: mappings made through this descriptor
 * @writer_node: in buffer->writers
 * @owner: the task that opened it
 * @owner_node: in owner->perf_counter_owned while the owner lives, under its
 *	perf_counter_mutex
 * @machine_node: among those that want records of the machine, if it does
 * @lsm: carries the security module's label
 * @refs: the file, and whoever works on it
 * @free: frees it, once no event can be using it
 */
struct perf_counter_desc {
	struct perf_counter_attr	attr;
	const struct perf_counter_pmu	*pmu;
	int				event;
	bool				task;
	int				cpu;
	bool				load;
	bool				sideband;
	bool				machine;
	u16				sample_size;
	u16				id_size;
	u16				read_size;
	u32				wakeup_events;
	u64				(*clock)(void);
	struct pid_namespace		*ns;
	struct perf_counter_buffer __rcu *buffer;
	atomic_t			limit;
	atomic64_t			lost;
	struct irq_work			work;
	struct work_struct		stop_work;
	atomic_t			limited;
	atomic_t			hangup;
	bool				stopped;
	wait_queue_head_t		waitq;
	struct fasync_struct		*fasync;

	struct mutex			mutex;	/* operations */
	struct list_head		counters;
	struct perf_counter		first;
	struct perf_counter __percpu	*cpus;
	atomic64_t			gone_count;
	u64				gone_enabled;
	u64				gone_running;
	bool				closed;
	struct perf_counter_desc __rcu	*leader;
	struct list_head		members;
	struct list_head		member_node;
	unsigned int			nr_members;
	unsigned int			slot;
	u64				id;

	struct mutex			buffer_mutex;	/* buffer */
	atomic_t			mapped;
	struct hlist_node		writer_node;
	struct task_struct		*owner;
	struct list_head		owner_node;
	struct list_head		machine_node;
	struct perf_event		*lsm;
	refcount_t			refs;
	struct rcu_work			free;
};

/* Is @desc counted by the PMU of the machine? */
static inline bool perf_counter_is_hw(const struct perf_counter_desc *desc)
{
	return desc->pmu == &perf_counter_hw_pmu;
}

/* The CPUs that a descriptor has a counter of its own for; one stands for all tasks. */
static inline const struct cpumask *perf_counter_desc_cpus(struct perf_counter_desc *desc)
{
	return desc->cpus ? cpu_possible_mask : cpumask_of(0);
}

/* The counter that @desc was opened with for @cpu, one of those. */
static inline struct perf_counter *perf_counter_opened(struct perf_counter_desc *desc, int cpu)
{
	return desc->cpus ? per_cpu_ptr(desc->cpus, cpu) : &desc->first;
}

/**
 * struct perf_counter_event - what an event hands on, beyond its registers
 * @addr: the address it is about, 0 for none
 * @period: events since the sample before
 * @ip: the kernel code it is ascribed to, when it interrupted nothing and its
 *	registers are empty; else 0
 */
struct perf_counter_event {
	u64		addr;
	u64		period;
	unsigned long	ip;
};

/* A record being written: where, what commits it, and whom its trailer names. */
struct perf_counter_record {
	struct perf_counter		*counter;
	struct task_struct		*task;
	struct perf_counter_buffer	*buffer;
	struct perf_counter_ring	*ring;
	u64				pos;
	u32				len;
	u64				*at;
};

/* Two fields of 32 bits. */
static inline u64 perf_counter_two_words(u32 first, u32 second)
{
	union {
		u32	word[2];
		u64	both;
	} u = { .word = { first, second } };

	return u.both;
}

/* The next fields of @record; @size is a multiple of 8. */
static inline void perf_counter_put(struct perf_counter_record *record, const void *fields,
				    u32 size)
{
	memcpy(record->at, fields, size);
	record->at += size / sizeof(u64);
}

/* Bytes that a name takes in a record, with at least one zero behind it. */
static inline u32 perf_counter_name_size(const char *name)
{
	return ALIGN(strlen(name) + 1, sizeof(u64));
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

/* Sample types, read formats and attr bits of this version. */
#define PERF_COUNTER_SAMPLE_TYPES						\
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |			\
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN |		\
	 PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |		\
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CGROUP)
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
static inline u64 perf_counter_running(struct perf_counter *counter, u64 now)
{
	if (!counter->load)
		return counter->time_enabled +
		       (counter->on ? perf_counter_since(now, counter->on_stamp) : 0);
	return counter->time_running +
	       (counter->is_loaded ? perf_counter_since(now, counter->run_stamp) : 0);
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
	return perf_counter_running(counter, perf_counter_event_time(counter));
}

/* What a read format wants of @value and of @desc, for read() and records alike. */
static inline u64 *perf_counter_put_times(u64 *at, u64 format,
					  const struct perf_counter_value *value)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*at++ = value->enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*at++ = value->running;
	return at;
}

static inline u64 *perf_counter_put_ids(u64 *at, u64 format, struct perf_counter_desc *desc)
{
	if (format & PERF_FORMAT_ID)
		*at++ = desc->id;
	if (format & PERF_FORMAT_LOST)
		*at++ = atomic64_read(&desc->lost);
	return at;
}

/* Does a counter with @attr want FORK and EXIT records? */
static inline bool perf_counter_wants_task(const struct perf_counter_attr *attr)
{
	return attr->mmap || attr->mmap2 || attr->mmap_data || attr->comm || attr->task;
}

/* Does it want records of what tasks do? */
static inline bool perf_counter_wants_sideband(const struct perf_counter_attr *attr)
{
	return perf_counter_wants_task(attr) || attr->munmap || attr->context_switch ||
	       attr->namespaces;
}

/* Does a descriptor with @attr want records of the machine: of the kernel's code and groups? */
static inline bool perf_counter_wants_machine(const struct perf_counter_attr *attr)
{
	return attr->ksymbol || attr->bpf_event || attr->text_poke || attr->cgroup;
}

/* perf_counter.c */
u64 perf_counter_new_ids(unsigned int nr);
void perf_counter_desc_put(struct perf_counter_desc *desc);
struct perf_counter_desc *perf_counter_group_lock(struct perf_counter_desc *desc);
void perf_counter_group_unlock(struct perf_counter_desc *leader);
void perf_counter_disown(struct task_struct *task);
bool perf_counter_is_over(struct perf_counter_desc *desc);

/* perf_counter_read.c */
ssize_t perf_counter_read_desc(struct perf_counter_desc *desc, char __user *buf, size_t count);

/* perf_counter_attr.c */
extern unsigned int perf_counter_max_samples_per_tick;
extern int sysctl_perf_counter_paranoid;
extern int sysctl_perf_counter_mlock_kb;
extern int sysctl_perf_counter_max_sample_rate;
int perf_counter_copy_attr(struct perf_counter_attr __user *uattr, struct perf_counter_attr *attr);
int perf_counter_check_attr(struct perf_counter_attr *attr);
int perf_counter_may_open(const struct perf_counter_attr *attr, bool cpu_wide);
void perf_counter_drop_machine(struct perf_counter_attr *attr);
bool perf_counter_may_watch(struct task_struct *task);

/* perf_counter_ctx.c */
DECLARE_PER_CPU(struct perf_counter_ctx, perf_counter_cpu_ctx);
void perf_counter_hook_get(unsigned int hook);
void perf_counter_hook_put(unsigned int hook);
void perf_counter_init_counter(struct perf_counter *counter, struct perf_counter_desc *desc,
			       u64 stream_id);
void perf_counter_attach(struct perf_counter_ctx *ctx, struct perf_counter *counter,
			 struct perf_counter *leader);
void perf_counter_detach(struct perf_counter *counter);
void perf_counter_set_enabled(struct perf_counter *counter, bool enabled);
void perf_counter_set_period(struct perf_counter *counter, u64 period);
u64 perf_counter_count(struct perf_counter *counter);
void perf_counter_value_of(struct perf_counter *counter, u64 now,
			   struct perf_counter_value *value);
void perf_counter_ctx_init(struct perf_counter_ctx *ctx, struct task_struct *task);
void perf_counter_ctx_put(struct perf_counter_ctx *ctx);
void perf_counter_ctx_start(struct perf_counter_ctx *ctx, u64 clock);
void perf_counter_ctx_stop(struct perf_counter_ctx *ctx);
void perf_counter_ctx_call(struct perf_counter_ctx *ctx, void (*fn)(void *arg), void *arg,
			   bool atomic);
void perf_counter_ctx_activate(struct perf_counter_ctx *ctx);
struct perf_counter_ctx *perf_counter_task_ctx_get(struct task_struct *task);

/* perf_counter_sched.c */
void perf_counter_set_load(struct perf_counter *counter, u64 now);
void perf_counter_load_leader(struct perf_counter *leader);
void perf_counter_unload(struct perf_counter *counter, u64 now);
void perf_counter_reload(struct perf_counter *counter, u64 now);
void perf_counter_load(struct perf_counter *counter, u64 now);
void perf_counter_ctx_load(struct perf_counter_ctx *ctx, u64 now);
void perf_counter_ctx_unload(struct perf_counter_ctx *ctx, u64 now);
void perf_counter_hw_begin(void);
void perf_counter_hw_end(void);
void perf_counter_set_user(struct perf_counter *counter, bool user);
void perf_counter_hw_pause(void);
void perf_counter_hw_resume(void);
bool perf_counter_sched_tick(void);
void perf_counter_sched_tick_start(void);
void perf_counter_sched_online(void);
void perf_counter_sched_offline(void);
void perf_counter_sched_init(void);

/* perf_counter_hw.c */
extern const struct perf_counter_backend *perf_counter_backend;
extern bool perf_counter_hw_halted;
bool perf_counter_hw_tick(struct perf_counter *counter, u64 now);

/* The count of @counter, of the PMU and loaded on this CPU. IRQs off. */
static inline u64 perf_counter_hw_count(struct perf_counter *counter)
{
	return perf_counter_backend->read(&counter->hw) - counter->base;
}

/* perf_counter_overflow.c */
bool perf_counter_overflow_limited(struct perf_counter *counter,
				   const struct perf_counter_event *event, struct pt_regs *regs);
void perf_counter_freq_adapt(struct perf_counter *counter, u64 count);
bool perf_counter_throttle_slow(struct perf_counter *counter, bool over, u64 window_end);

/* perf_counter_sw.c */
extern const struct perf_counter_pmu perf_counter_sw_pmu;
extern const struct perf_counter_pmu perf_counter_clock_pmu;
void perf_counter_sw_event_here(u32 id, unsigned long ip);

/* perf_counter_sideband.c */
typedef void (*perf_counter_sideband_fn)(struct perf_counter *counter, void *data);
void perf_counter_sideband_open(struct perf_counter_desc *desc);
void perf_counter_sideband_close(struct perf_counter_desc *desc);
void perf_counter_sideband_machine(perf_counter_sideband_fn fn, void *data);
void perf_counter_sideband_cpu(perf_counter_sideband_fn fn, void *data);
void perf_counter_sideband_current(perf_counter_sideband_fn fn, void *data);
bool perf_counter_sideband_here(void);
void perf_counter_sideband_each(struct perf_counter_ctx *ctx, perf_counter_sideband_fn fn,
				void *data);

/* perf_counter_task.c */
void perf_counter_record_exit(struct perf_counter_ctx *ctx);
void perf_counter_record_switch(struct task_struct *other, bool out);

/* perf_counter_mmap.c */
void perf_counter_record_module(const char *name, unsigned long addr, size_t len, bool gone);

/* perf_counter_output.c */
int perf_counter_output_init(struct perf_counter_desc *desc);
void perf_counter_output_sample(struct perf_counter *counter,
				const struct perf_counter_event *event, struct pt_regs *regs);
bool perf_counter_output_begin(struct perf_counter_record *record, struct perf_counter *counter,
			       u32 type, u16 misc, u32 len);
void perf_counter_output_end(struct perf_counter_record *record);
void perf_counter_output_throttle(struct perf_counter *counter, bool throttled);
void perf_counter_output_read(struct perf_counter *counter, struct task_struct *task);
u32 perf_counter_tgid_in(struct task_struct *task, struct pid_namespace *ns);
u32 perf_counter_pid_in(struct task_struct *task, struct pid_namespace *ns);
u64 perf_counter_ids(struct perf_counter_desc *desc, struct task_struct *task);
unsigned int perf_counter_read_size(struct perf_counter_desc *desc, unsigned int members);

/* perf_counter_callchain.c */
int perf_counter_callchain_prepare(void);
struct perf_counter_callchain *perf_counter_callchain_get(struct perf_counter_desc *desc,
							  const struct perf_counter_event *event,
							  struct pt_regs *regs);
void perf_counter_callchain_put(struct perf_counter_callchain *chain);

/* perf_counter_buffer.c */
int perf_counter_buffer_mmap(struct perf_counter_desc *desc, struct vm_area_struct *vma);
int perf_counter_buffer_redirect(struct perf_counter_desc *desc, struct perf_counter_desc *to);
void perf_counter_buffer_detach(struct perf_counter_desc *desc);
int perf_counter_buffer_pause(struct perf_counter_desc *desc, bool pause);
bool perf_counter_buffer_readable(struct perf_counter_buffer *buffer, bool all);
__poll_t perf_counter_buffer_poll(struct perf_counter_desc *desc, bool all);
struct perf_counter_buffer *perf_counter_buffer_get(struct perf_counter_desc *desc);
void perf_counter_buffer_put(struct perf_counter_buffer *buffer);

/* perf_counter_control.c */
void perf_counter_control_load(struct perf_counter *counter);
void perf_counter_control_unload(struct perf_counter *counter, u64 now);
void perf_counter_update_control(struct perf_counter_desc *desc);

/* perf_counter_splice.c */
ssize_t perf_counter_splice(struct perf_counter_desc *desc, struct pipe_inode_info *pipe,
			    size_t len, bool wait);

/**
 * perf_counter_overflow() - a sample is due
 * @counter: whose
 * @event: the event
 * @regs: its registers
 *
 * A signal, or the end of a limit, waits until the context of the event is left.
 *
 * Context: any, NMI included; preemption disabled.
 * Return: true when no further sample is wanted: the limit that REFRESH set
 * is used up.
 */
static __always_inline bool perf_counter_overflow(struct perf_counter *counter,
						  const struct perf_counter_event *event,
						  struct pt_regs *regs)
{
	struct perf_counter_desc *desc = counter->desc;

	if (unlikely(atomic_read(&desc->limit) >= 0))
		return perf_counter_overflow_limited(counter, event, regs);
	perf_counter_output_sample(counter, event, regs);
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

#endif /* _KERNEL_PERF_COUNTER_H */
