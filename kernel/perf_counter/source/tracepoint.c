// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints. An event finds its counters by its id, as software events do by their
 * number: the counters of the current task and of this CPU. A context switch does
 * nothing for them.
 *
 * A probe of ftrace calls three times:
 *
 *	done	 Counts for the counters that only count. If there are no other counters,
 *		 the event is done without a look at its data.
 *	reserve	 The size of the record is known. Finishes the counters whose period is not
 *		 over and those whose samples have no raw data. If a counter is left that
 *		 needs the record or has a filter, the probe writes the record to the scratch
 *		 buffer of this CPU and context.
 *	commit	 The record is complete. Each counter that is left filters it and copies it
 *		 into its sample.
 *
 * A probe never gets memory in a ring, because it reads back parts of the record that
 * it has written (for example the offset and length of each string), and the reader of
 * a ring can write there at any moment.
 *
 * Preemption is disabled from the first to the last of the three calls. An event that
 * happens between them in the same context (task, softirq, irq, NMI) was raised while
 * an event was processed: it counts where that can be decided without its record, but
 * it is not recorded, and the descriptor's @missed counts it.
 */

#include <linux/percpu.h>
#include <linux/perf_counter_trace.h>
#include <linux/ptrace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "../counter/cgroup.h"
#include "source.h"

/*
 * Size of a scratch buffer in bytes: the longest record. A kprobe with several strings
 * needs more than the 8 KiB of perf_events.
 */
#define SCRATCH_SIZE	PERF_COUNTER_RAW_MAX

/**
 * struct tp_consumer - a counter that needs the record of an event
 * @counter: the counter
 * @period: the period that has ended with the event, which has been counted; 0: the
 *	record decides whether the event counts
 */
struct tp_consumer {
	struct perf_counter	*counter;
	u64			period;
};

/**
 * struct tp_event - an event in progress on one CPU in one context
 * @busy: flag: an event is in progress
 * @tracepoint: tracepoint of the event
 * @ip: address of the event; 0: the address is in @regs
 * @regs: registers of the event
 * @frame: frame of the running function that the probe has called
 * @next: next counter to process; NULL: continue with @cpu_first
 * @cpu_first: first counter of the CPU while @next is a counter of the task; NULL
 *	afterwards
 * @levels: levels of the current task's control groups whose counters are processed after those of
 *	the CPU
 * @first: first counter that needs the record
 * @second: second counter that needs the record; its counter is NULL if there is none
 * @len: length of the record in bytes
 * @scratch: buffer of SCRATCH_SIZE bytes that the probe writes the record to
 */
struct tp_event {
	bool					busy;
	const struct perf_counter_tracepoint	*tracepoint;
	unsigned long				ip;
	struct pt_regs				*regs;
	const void				*frame;
	struct perf_counter			*next;
	struct perf_counter			*cpu_first;
	unsigned long				levels;
	struct tp_consumer			first;
	struct tp_consumer			second;
	u32					len;
	void					*scratch;
};

/* Events in progress on one CPU, one for each value of interrupt_context_level(). */
struct tp_levels {
	struct tp_event	level[4];
};

/* Events in progress on each CPU; allocated for the first tracepoint, never freed. */
static DEFINE_MUTEX(tp_events_mutex);
static struct tp_levels __percpu *tp_events;

static void tp_free(struct tp_levels __percpu *set)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kvfree(per_cpu_ptr(set, cpu)->level[0].scratch);
	free_percpu(set);
}

static int tp_prepare(void)
{
	struct tp_levels __percpu *set;
	struct tp_event *level;
	void *scratch;
	int cpu, i;

	guard(mutex)(&tp_events_mutex);
	if (tp_events)
		return 0;
	set = alloc_percpu(struct tp_levels);
	if (!set)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		level = per_cpu_ptr(set, cpu)->level;
		scratch = kvmalloc_node(ARRAY_SIZE(set->level) * SCRATCH_SIZE, GFP_KERNEL,
					cpu_to_node(cpu));
		if (!scratch) {
			tp_free(set);
			return -ENOMEM;
		}
		for (i = 0; i < ARRAY_SIZE(set->level); i++)
			level[i].scratch = scratch + i * SCRATCH_SIZE;
	}
	/* A plain store is enough: no probe of perf_counter has been registered before. */
	tp_events = set;
	return 0;
}

static __always_inline struct tp_event *this_tp_event(void)
{
	struct tp_event *event = &this_cpu_ptr(tp_events)->level[interrupt_context_level()];

	/* Keep the compiler from recomputing the address at each access. */
	OPTIMIZER_HIDE_VAR(event);
	return event;
}

/* === Counters of an event === */

/*
 * Tracepoints ignore exclude_user, exclude_idle and exclude_host. exclude_kernel
 * excludes all tracepoints but those of user mode. perf_events does the same.
 */
static noinline bool tp_filtered(struct perf_counter *counter)
{
	unsigned int filter = counter->filter;

	return ((filter & FILTER_KERNEL) && !counter->desc->tracepoint->in_user) ||
	       ((filter & FILTER_CPU) && counter->cpu != smp_processor_id()) ||
	       ((filter & FILTER_UNLOADED) && !READ_ONCE(counter->loaded));
}

static __always_inline bool tp_counts(struct perf_counter *counter)
{
	/* Pairs with the release in perf_counter_state_on(), after its time stamp. */
	return smp_load_acquire(&counter->group_enabled) &&
	       !(unlikely(counter->filter) && tp_filtered(counter));
}

/* Test whether the event's weight for @counter is known without the record. */
static bool tp_needs_no_record(const struct perf_counter_tracepoint *tracepoint,
			       struct perf_counter *counter)
{
	return !tracepoint->weight && !rcu_access_pointer(counter->desc->filter);
}

/*
 * Return the first counter in the hash list of the event in @ctx, or NULL; other events share the
 * list.
 */
static __always_inline struct hlist_node *
tp_first(struct perf_counter_ctx *ctx, const struct perf_counter_tracepoint *tracepoint)
{
	/* Pairs with the release in perf_counter_event_hash_add(). */
	struct perf_counter_event_hash *hash = smp_load_acquire(&ctx->hash);
	struct hlist_head *list;

	if (!hash)
		return NULL;
	list = perf_counter_hashed(hash, tracepoint->id);
	return rcu_dereference_raw(hlist_first_rcu(list));
}

/*
 * Count for the counters that only count, up to the first counter that needs more. Return that
 * counter, or NULL.
 */
static __always_inline struct perf_counter *
tp_count_plain(struct hlist_node *node, const struct perf_counter_tracepoint *tracepoint)
{
	struct perf_counter *counter;

	for (; node; node = rcu_dereference_raw(hlist_next_rcu(node))) {
		counter = hlist_entry(node, struct perf_counter, event_node);
		if (counter->desc->event_id != tracepoint->id)
			continue;
		if (counter->filter || READ_ONCE(counter->sampling.period) ||
		    !tp_needs_no_record(tracepoint, counter))
			return counter;
		/*
		 * The counter has no filter. Pairs with the release in perf_counter_state_on(), as
		 * in tp_counts().
		 */
		if (smp_load_acquire(&counter->group_enabled))
			local64_inc(&counter->count);
	}
	return NULL;
}

/*
 * Go on in @event->levels to the next control group that has counters in the event's hash list.
 * Return the first of these counters, or NULL after the last group.
 */
static noinline struct perf_counter *tp_next_cgroup(struct tp_event *event)
{
	struct perf_counter *counter = NULL;
	struct perf_counter_ctx *ctx;

	while (!counter && (ctx = perf_counter_next_cgroup(&event->levels)))
		counter = hlist_entry_safe(tp_first(ctx, event->tracepoint), struct perf_counter,
					   event_node);
	return counter;
}

/* Return those of the current task's control groups, by level, that may count @tracepoint. */
static noinline unsigned long tp_cgroups(const struct perf_counter_tracepoint *tracepoint)
{
	unsigned long levels = 0, left = perf_counter_cgroup_levels();
	struct perf_counter_ctx *ctx;

	for (; left; left &= left - 1) {
		ctx = perf_counter_cgroup_ctx(__ffs(left));
		if (ctx && tp_first(ctx, tracepoint))
			levels |= left & -left;
	}
	return levels;
}

/* Return the next counter of the event, or NULL. */
static __always_inline struct perf_counter *tp_next(struct tp_event *event)
{
	struct perf_counter *counter;
	struct hlist_node *next;

	do {
		if (!event->next) {
			event->next = event->cpu_first;
			event->cpu_first = NULL;
		}
		if (unlikely(event->levels) && !event->next)
			event->next = tp_next_cgroup(event);
		counter = event->next;
		if (!counter)
			return NULL;
		next = rcu_dereference_raw(hlist_next_rcu(&counter->event_node));
		event->next = hlist_entry_safe(next, struct perf_counter, event_node);
	} while (counter->desc->event_id != event->tracepoint->id);
	return counter;
}

/* Count an event that cannot be recorded because another one is in progress in this context. */
static noinline void tp_miss(const struct perf_counter_tracepoint *tracepoint,
			     struct perf_counter *task_first, struct perf_counter *cpu_first,
			     unsigned long levels)
{
	struct tp_event event = {
		.tracepoint = tracepoint, .next = task_first, .cpu_first = cpu_first,
		.levels = levels,
	};
	struct perf_counter *counter;

	while ((counter = tp_next(&event))) {
		if (!tp_counts(counter))
			continue;
		if (tp_needs_no_record(tracepoint, counter)) {
			local64_inc(&counter->count);
			if (!counter->sampling.period || !perf_counter_period_over(counter, 1))
				continue;
		}
		atomic64_inc(&counter->desc->missed);
	}
}

/*
 * Begin an event for which a counter needs more than its count. Out of line, so that
 * perf_counter_tracepoint_done() stays short when no counter is found.
 */
static noinline bool tp_begin(const struct perf_counter_tracepoint *tracepoint, unsigned long ip,
			      struct pt_regs *regs, struct hlist_node *task_node,
			      struct hlist_node *cpu_node, unsigned long levels)
{
	struct perf_counter *task_first = tp_count_plain(task_node, tracepoint);
	struct perf_counter *cpu_first = tp_count_plain(cpu_node, tracepoint);
	struct tp_event *event;

	if (!task_first && !cpu_first && !levels)
		return true;

	event = this_tp_event();
	if (unlikely(event->busy)) {
		tp_miss(tracepoint, task_first, cpu_first, levels);
		return true;
	}
	event->busy = true;
	/* Set @busy before anything that may raise an event. */
	barrier();
	event->tracepoint = tracepoint;
	event->ip = ip;
	event->regs = regs ?: &perf_counter_no_regs;
	event->next = task_first;
	event->cpu_first = cpu_first;
	event->levels = levels;
	return false;
}

/**
 * perf_counter_tracepoint_done() - Count an event for the counters that need no record
 * @file: event file of the struct perf_counter_tracepoint
 * @ip: address of the event; 0 if the event has @regs
 * @regs: registers of the event, or NULL
 *
 * Context: a probe of the event, in any context, with preemption disabled. If the
 * function returns false, the caller must call perf_counter_tracepoint_reserve().
 * Return: true if the event is done, false if a counter needs more of it.
 */
bool perf_counter_tracepoint_done(struct trace_event_file *file, unsigned long ip,
				  struct pt_regs *regs)
{
	const struct perf_counter_tracepoint *tracepoint =
		container_of(file, struct perf_counter_tracepoint, file);
	struct perf_counter_ctx *ctx = perf_counter_task_ctx(current);
	struct hlist_node *task_first = ctx ? tp_first(ctx, tracepoint) : NULL;
	struct hlist_node *cpu_first = tp_first(this_cpu_ptr(&perf_counter_cpu_ctx), tracepoint);
	unsigned long levels = perf_counter_cgroups_watched() ? tp_cgroups(tracepoint) : 0;

	if (!task_first && !cpu_first && !levels)
		return true;
	return tp_begin(tracepoint, ip, regs, task_first, cpu_first, levels);
}

/* === Counters that need the record === */

/*
 * Check @counter's period after an event has been counted. Returns the period if it has
 * ended and the sample needs the record; outputs a sample without raw data at once.
 */
static noinline u64 tp_record_period(struct tp_event *event, struct perf_counter *counter)
{
	struct perf_counter_sample sample = {
		.regs = event->regs, .ip = event->ip, .frame = event->frame,
	};

	if (!counter->sampling.period)
		return 0;
	sample.period = perf_counter_period_over(counter, 1);
	if (!sample.period)
		return 0;
	if (counter->desc->attr.sample_type & PERF_SAMPLE_RAW)
		return sample.period;
	perf_counter_overflow(counter, &sample);
	return 0;
}

/*
 * Find the next counter that needs the record, and process the counters before it.
 * Returns false if no counter needs the record.
 */
static __always_inline bool tp_find_consumer(struct tp_event *event, struct tp_consumer *consumer)
{
	struct perf_counter *counter;

	while ((counter = tp_next(event))) {
		if (!tp_counts(counter))
			continue;
		consumer->counter = counter;
		consumer->period = 0;
		if (!tp_needs_no_record(event->tracepoint, counter))
			return true;
		local64_inc(&counter->count);
		consumer->period = tp_record_period(event, counter);
		if (consumer->period)
			return true;
	}
	consumer->counter = NULL;
	return false;
}

static noinline bool tp_next_consumer(struct tp_event *event, struct tp_consumer *consumer)
{
	return tp_find_consumer(event, consumer);
}

/* Return the maximum number of bytes that @counter records for each system call argument. */
static __always_inline u32 tp_syscall_bytes(const struct tp_event *event,
					    const struct perf_counter *counter)
{
	return event->tracepoint->syscall ? counter->desc->attr.config1 : 0;
}

/*
 * Write the system call's argument data after the record in the scratch buffer. Returns
 * their size in bytes.
 */
static u32 tp_put_syscall(struct tp_event *event, const struct perf_counter *counter)
{
	u32 max = tp_syscall_bytes(event, counter);

	return max ? perf_counter_syscall_put(event->scratch + event->len, max) : 0;
}

/* Count an event as missed by all counters that are left: its record is too long. */
static noinline void tp_miss_long(struct tp_event *event)
{
	do {
		atomic64_inc(&event->first.counter->desc->missed);
	} while (tp_next_consumer(event, &event->first));
}

/* Return the memory for the record; NULL if no counter needs it or it is too long. */
static __always_inline void *tp_reserve(struct tp_event *event)
{
	if (!tp_find_consumer(event, &event->first))
		return NULL;
	if (unlikely(event->len > SCRATCH_SIZE)) {
		tp_miss_long(event);
		return NULL;
	}
	event->second.counter = NULL;
	if (event->next || event->cpu_first || event->levels)
		tp_next_consumer(event, &event->second);
	/*
	 * The record may have holes, through which readers of this event must not see an older
	 * record that the scratch buffer holds.
	 */
	if (event->tracepoint->for_all)
		memset64(event->scratch, 0, DIV_ROUND_UP(event->len, sizeof(u64)));
	else
		/*
		 * Clear the hole at the end of the structure; records of perf_events
		 * have zeroes there.
		 */
		put_unaligned(0ULL, (u64 *)(event->scratch + event->len - sizeof(u64)));
	return event->scratch;
}

static void tp_end(struct tp_event *event)
{
	/* Clear @busy after the last access to the event. */
	barrier();
	event->busy = false;
}

/**
 * perf_counter_tracepoint_reserve() - Get memory for the record of an event
 * @fbuffer: buffer of the probe
 * @file: event file for which perf_counter_tracepoint_done() returned false
 * @len: length of the record in bytes
 *
 * Context: a probe of the event, with preemption disabled. If the function returns
 * memory, the caller must call perf_counter_tracepoint_commit().
 * Return: kernel memory of @len bytes with the record's common fields filled in; NULL
 * if no counter needs the record or it is longer than PERF_COUNTER_RAW_MAX.
 */
void *perf_counter_tracepoint_reserve(struct trace_event_buffer *fbuffer,
				      struct trace_event_file *file, unsigned long len)
{
	struct tp_event *event = this_tp_event();
	unsigned int trace_ctx = tracing_gen_ctx();
	struct trace_entry *entry;

	fbuffer->private = event;
	event->frame = __builtin_frame_address(0);
	event->len = len;
	entry = tp_reserve(event);
	if (!entry) {
		tp_end(event);
		return NULL;
	}
	tracing_generic_entry_update(entry, event->tracepoint->type, trace_ctx);
	return entry;
}

/* === The record is complete === */

/* Return the number of events that the record stands for. */
static u64 tp_record_weight(const struct tp_event *event)
{
	u32 at = event->tracepoint->weight;

	return at ? get_unaligned((u64 *)(event->scratch + at)) : 1;
}

static noinline void tp_output(struct tp_event *event, struct perf_counter *counter, u64 period)
{
	const struct perf_counter_sample_extra extra = {
		.data_src = PERF_COUNTER_DATA_SRC_NA,
		.raw = event->scratch, .raw_size = event->len + tp_put_syscall(event, counter),
	};
	const struct perf_counter_sample sample = {
		.regs = event->regs, .ip = event->ip, .frame = event->frame, .period = period,
		.extra = &extra,
	};

	perf_counter_overflow(counter, &sample);
}

/* Filter the record and count it. Returns the period that has ended, or 0. */
static __always_inline u64 tp_count_record(struct tp_event *event, struct perf_counter *counter)
{
	struct event_filter *filter = rcu_dereference_sched(counter->desc->filter);
	u64 nr;

	if (filter && !filter_match_preds(filter, event->scratch))
		return 0;
	nr = tp_record_weight(event);
	local64_add(nr, &counter->count);
	return counter->sampling.period ? perf_counter_period_over(counter, nr) : 0;
}

/* Output a sample with the record to a consumer, if one is due. */
static __always_inline void tp_deliver(struct tp_event *event, const struct tp_consumer *consumer)
{
	u64 period = consumer->period ?: tp_count_record(event, consumer->counter);

	if (period)
		tp_output(event, consumer->counter, period);
}

/**
 * perf_counter_tracepoint_commit() - Process the complete record of an event
 * @fbuffer: buffer that perf_counter_tracepoint_reserve() has filled in
 *
 * Context: a probe of the event, with preemption disabled.
 */
void perf_counter_tracepoint_commit(struct trace_event_buffer *fbuffer)
{
	struct tp_event *event = fbuffer->private;

	event->frame = __builtin_frame_address(0);
	tp_deliver(event, &event->first);
	if (unlikely(event->second.counter)) {
		do
			tp_deliver(event, &event->second);
		while (tp_next_consumer(event, &event->second));
	}
	tp_end(event);
}

/* === Operations of an event file === */

const struct trace_event_file_ops perf_counter_trace_ops = {
	.done		= perf_counter_tracepoint_done,
	.reserve	= perf_counter_tracepoint_reserve,
	.commit		= perf_counter_tracepoint_commit,
};

/*
 * A uprobe happens with preemption enabled. Preemption is disabled from tp_uprobe_done() on, until
 * one of the three functions has finished the event.
 */
static bool tp_uprobe_done(struct trace_event_file *file, unsigned long ip, struct pt_regs *regs)
{
	preempt_disable_notrace();
	if (!perf_counter_tracepoint_done(file, ip, regs))
		return false;
	preempt_enable_notrace();
	return true;
}

static void *tp_uprobe_reserve(struct trace_event_buffer *fbuffer, struct trace_event_file *file,
			       unsigned long len)
{
	void *entry = perf_counter_tracepoint_reserve(fbuffer, file, len);

	if (!entry)
		preempt_enable_notrace();
	return entry;
}

static void tp_uprobe_commit(struct trace_event_buffer *fbuffer)
{
	perf_counter_tracepoint_commit(fbuffer);
	preempt_enable_notrace();
}

/*
 * Check that no counter wants the uprobe's events of the current process. A uprobe is installed in
 * every process that maps the file, because any of them may run the code. The first hit in a
 * process that has no counter for it can remove the probe there.
 */
static bool tp_uprobe_unwatched(const struct trace_event_file *file)
{
	const struct perf_counter_tracepoint *tracepoint =
		container_of(file, struct perf_counter_tracepoint, file);
	struct task_struct *thread;
	int nr = 0;

	/* Pairs with the release in tracepoint_attached(), after the task has its context. */
	if (!smp_load_acquire(&tracepoint->of_task))
		return false;
	/*
	 * A process without a context cannot inherit a counter of this event later: the
	 * counter would come from a parent, which shares this memory or has a copy of it.
	 */
	for_each_thread(current, thread) {
		if (perf_counter_task_ctx(thread))
			return false;
		/* A thread that has exited is listed until it is reaped, but has no mm. */
		nr += READ_ONCE(thread->mm) == current->mm;
	}
	/* Tasks of other processes that share the memory may have counters. */
	return atomic_read(&current->mm->mm_users) <= nr;
}

const struct trace_event_file_ops perf_counter_trace_uprobe_ops = {
	.done		= tp_uprobe_done,
	.reserve	= tp_uprobe_reserve,
	.commit		= tp_uprobe_commit,
	.unwatched	= tp_uprobe_unwatched,
};

/* === The PMU === */

/* Check config1: the number of bytes to copy from each system call argument. */
static int tp_check_syscall(const struct perf_counter_tracepoint *tracepoint,
			    const struct perf_counter_attr *attr)
{
	static_assert(SZ_64 + PERF_COUNTER_SYSCALL_ROOM <= SCRATCH_SIZE);
	if (!tracepoint->syscall || attr->config1 > PERF_COUNTER_SYSCALL_MAX ||
	    !(attr->sample_type & PERF_SAMPLE_RAW))
		return -EINVAL;
	return perf_counter_syscall_prepare();
}

/* Assign @tracepoint to @desc; drop the reference if the permission or the attr is refused. */
static int tracepoint_assign(struct perf_counter_desc *desc,
			     struct perf_counter_tracepoint *tracepoint)
{
	const struct perf_counter_attr *attr = &desc->attr;
	int err = 0;

	if (attr->config1 && !tracepoint->own)
		err = tp_check_syscall(tracepoint, attr);
	/*
	 * Counting needs no permission. Recording does, except that a task may record its own
	 * events if they are flagged CAP_ANY.
	 */
	if (!err && (attr->sample_type & PERF_SAMPLE_RAW) && !desc->overflow &&
	    !(desc->task && tracepoint->for_all))
		err = perf_counter_may_trace();
	if (err) {
		trace_perf_counter_put(tracepoint);
		return err;
	}
	desc->tracepoint = tracepoint;
	desc->event = -1;
	desc->event_id = tracepoint->id;
	return 0;
}

/*
 * Values of attr.type for kprobes and uprobes that perf_counter_open() itself creates. They are
 * the types that perf_events has assigned to its PMUs; 0: not supported.
 */
unsigned int perf_counter_kprobe_type __ro_after_init;
unsigned int perf_counter_uprobe_type __ro_after_init;

static struct perf_counter_tracepoint *tp_get_probe(const struct perf_counter_attr *attr)
{
	bool user = attr->type == perf_counter_uprobe_type;

	/* perf_events requires the same privileges. */
	if (user ? !capable(CAP_SYS_ADMIN) : !perfmon_capable())
		return ERR_PTR(-EACCES);
	return trace_perf_counter_get_probe((const struct perf_event_attr *)attr, user);
}

static int tracepoint_event_init(const struct perf_counter_pmu *pmu,
				 struct perf_counter_desc *desc)
{
	const struct perf_counter_attr *attr = &desc->attr;
	bool own = attr->type != PERF_TYPE_TRACEPOINT;
	struct perf_counter_tracepoint *tracepoint;
	int err;

	if (attr->precise_ip || attr->bp_type || (attr->config2 && !own) || attr->config3)
		return -EINVAL;
	err = tp_prepare();
	if (err)
		return err;
	tracepoint = own ? tp_get_probe(attr) :
		     trace_perf_counter_get((const struct perf_event_attr *)attr, desc->task);
	if (IS_ERR(tracepoint))
		return PTR_ERR(tracepoint);
	return tracepoint_assign(desc, tracepoint);
}

/*
 * Set of_task only after the counter is attached: until then, the task seems to have no counters.
 */
static void tracepoint_attached(struct perf_counter_desc *desc)
{
	if (desc->tracepoint->own)
		/* Pairs with the acquire in tp_uprobe_unwatched(). */
		smp_store_release(&desc->tracepoint->of_task, !!desc->task);
}

static void tracepoint_event_exit(struct perf_counter_desc *desc)
{
	trace_perf_counter_put(desc->tracepoint);
}

static int tracepoint_set_filter(struct perf_counter_desc *desc, char *text)
{
	struct event_filter *filter;
	int err;

	if (rcu_access_pointer(desc->filter))
		return -EEXIST;
	err = trace_perf_counter_filter(desc->tracepoint, text, &filter);
	if (err)
		return err;
	/*
	 * Pairs with the address dependency of events, which find a complete filter or none.
	 * tracepoint_free() frees the filter.
	 */
	if (cmpxchg_release((struct event_filter **)&desc->filter, NULL, filter)) {
		trace_perf_counter_free_filter(filter);
		return -EEXIST;
	}
	return 0;
}

/*
 * Query with another reference to the tracepoint: a handover of @desc to perf_events drops the
 * reference of @desc, and no lock may be held to prevent that while user memory is accessed.
 */
static int tracepoint_query_bpf(struct perf_counter_desc *desc, void __user *info)
{
	const struct perf_event_attr *attr = (const struct perf_event_attr *)&desc->attr;
	struct perf_counter_tracepoint *tracepoint;
	int err;

	if (!perfmon_capable())
		return -EPERM;
	/* perf_events, too, supports the query only for events of tracefs. */
	if (attr->type != PERF_TYPE_TRACEPOINT)
		return -EINVAL;
	tracepoint = trace_perf_counter_get(attr, desc->task);
	if (IS_ERR(tracepoint))
		return PTR_ERR(tracepoint);
	err = trace_perf_counter_query_bpf(tracepoint, info);
	trace_perf_counter_put(tracepoint);
	return err;
}

#ifdef CONFIG_PERF_EVENTS
/* Hand @desc over. If a probe was made for @desc, perf_events makes a second probe there. */
static int tracepoint_hand_over(struct perf_counter_desc *desc,
				struct perf_counter_handover *handover)
{
	struct trace_perf_counter_loan loan = { .place = desc->tracepoint->place };
	int err;

	if (!desc->tracepoint->own)
		return perf_event_hand_over(handover);
	trace_perf_counter_lend(&loan);
	err = perf_event_hand_over(handover);
	trace_perf_counter_take_back(&loan);
	return err;
}
#else
#define tracepoint_hand_over	NULL
#endif

static void tracepoint_free(struct perf_counter_desc *desc)
{
	trace_perf_counter_free_filter(rcu_access_pointer(desc->filter));
}

static struct perf_counter_pmu tracepoint_pmu = {
	.types		= BIT(PERF_TYPE_TRACEPOINT),
	.event_init	= tracepoint_event_init,
	.attached	= tracepoint_attached,
	.event_exit	= tracepoint_event_exit,
	.set_filter	= tracepoint_set_filter,
	.query_bpf	= tracepoint_query_bpf,
	.hand_over	= tracepoint_hand_over,
	.free		= tracepoint_free,
};

static int __init tracepoint_init(void)
{
	/*
	 * The types of these PMUs are small numbers, because they register early in the
	 * boot.
	 */
	if (perf_counter_kprobe_type && perf_counter_kprobe_type < 32)
		tracepoint_pmu.types |= BIT(perf_counter_kprobe_type);
	if (perf_counter_uprobe_type && perf_counter_uprobe_type < 32)
		tracepoint_pmu.types |= BIT(perf_counter_uprobe_type);
	return perf_counter_register_pmu(&tracepoint_pmu);
}
core_initcall(tracepoint_init);
