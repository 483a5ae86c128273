// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints. The event finds its counters by its id, as software events do by theirs:
 * those of the current task and those of this CPU; nothing is done for them at a switch.
 *
 * A probe of ftrace asks three times:
 *
 *	done	 Counters that only count have counted after this. If all do, it is done, and
 *		 nothing of the event was looked at.
 *	reserve	 Now the size of its record is known. Counters whose period is not over yet,
 *		 and those whose samples have no raw data, are done with after this. When a
 *		 counter is left that takes the record, or has a filter, the probe writes the
 *		 record to the scratch buffer of this CPU and context.
 *	commit	 The record is complete: each counter that is left judges it, and copies it to
 *		 its sample.
 *
 * A probe never gets a place in a ring, because it reads back parts of the record that it has
 * written (the offset and the length of each string, for one), and the reader of a ring can
 * write there at any moment.
 *
 * From the first to the last of the three calls preemption is disabled. An event that happens
 * between them in the same context (task, softirq, irq, NMI) was raised by taking an event: it
 * counts where that can be said without its record, but is not recorded, and the descriptor's
 * @missed says how often that was so.
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

#include "source.h"

/*
 * Bytes of a scratch buffer: the longest record. A kprobe with several strings needs more than
 * the 8 KiB that perf_events has.
 */
#define SCRATCH_SIZE	PERF_COUNTER_RAW_MAX

/**
 * struct taker - a counter that wants the record of an event
 * @counter: it
 * @period: events since its last sample, the event has counted; 0: the record decides
 *	whether it does
 */
struct taker {
	struct perf_counter	*counter;
	u64			period;
};

/**
 * struct taking - an event that is being taken, on one CPU in one context
 * @busy: an event is being taken
 * @tracepoint: the event
 * @ip: the address of the event; 0: @regs has it
 * @regs: the registers of the event
 * @next: the counter to go on with; NULL: @of_cpu
 * @of_cpu: the first counter of the CPU while @next is of the task; then NULL
 * @first: the first counter that wants the record
 * @second: the second one; its counter is NULL if there is none
 * @len: bytes of the record
 * @scratch: SCRATCH_SIZE bytes that the probe writes the record to
 */
struct taking {
	bool					busy;
	const struct perf_counter_tracepoint	*tracepoint;
	unsigned long				ip;
	struct pt_regs				*regs;
	struct perf_counter			*next;
	struct perf_counter			*of_cpu;
	struct taker				first;
	struct taker				second;
	u32					len;
	void					*scratch;
};

/* One for each of interrupt_context_level(). */
struct takings {
	struct taking	level[4];
};

/* They stay once they are there. */
static DEFINE_MUTEX(takings_mutex);
static struct takings __percpu *takings;

static void takings_free(struct takings __percpu *set)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kvfree(per_cpu_ptr(set, cpu)->level[0].scratch);
	free_percpu(set);
}

static int takings_prepare(void)
{
	struct takings __percpu *set;
	struct taking *level;
	void *scratch;
	int cpu, i;

	guard(mutex)(&takings_mutex);
	if (takings)
		return 0;
	set = alloc_percpu(struct takings);
	if (!set)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		level = per_cpu_ptr(set, cpu)->level;
		scratch = kvmalloc_node(ARRAY_SIZE(set->level) * SCRATCH_SIZE, GFP_KERNEL,
					cpu_to_node(cpu));
		if (!scratch) {
			takings_free(set);
			return -ENOMEM;
		}
		for (i = 0; i < ARRAY_SIZE(set->level); i++)
			level[i].scratch = scratch + i * SCRATCH_SIZE;
	}
	/* No probe of ours is registered before. */
	takings = set;
	return 0;
}

static __always_inline struct taking *taking_here(void)
{
	struct taking *taking = &this_cpu_ptr(takings)->level[interrupt_context_level()];

	/* Its address is worked out once, not with each access. */
	OPTIMIZER_HIDE_VAR(taking);
	return taking;
}

/* === Who listens === */

/*
 * perf_events has the same words: exclude_user, _idle and _host do not matter for a
 * tracepoint, and exclude_kernel leaves nothing of it, unless it is of user mode.
 */
static noinline bool is_filtered(struct perf_counter *counter)
{
	unsigned int filter = counter->filter;

	return ((filter & FILTER_KERNEL) && !counter->desc->tracepoint->in_user) ||
	       ((filter & FILTER_CPU) && counter->cpu != smp_processor_id()) ||
	       ((filter & FILTER_UNLOADED) && !READ_ONCE(counter->loaded));
}

static __always_inline bool does_count(struct perf_counter *counter)
{
	/* Partner: the release in perf_counter_state_on(), after its time stamp. */
	return smp_load_acquire(&counter->group_enabled) &&
	       !(unlikely(counter->filter) && is_filtered(counter));
}

/* Can it be said that an event counts, and for how much, without its record? */
static bool needs_no_record(const struct perf_counter_tracepoint *tracepoint,
			    struct perf_counter *counter)
{
	return !tracepoint->weight && !rcu_access_pointer(counter->desc->filter);
}

/* Those that may count the event, and others; or NULL. */
static __always_inline struct hlist_node *
first_of(struct perf_counter_ctx *ctx, const struct perf_counter_tracepoint *tracepoint)
{
	/* Partner: the release in perf_counter_event_hash_add(). */
	struct perf_counter_event_hash *hash = smp_load_acquire(&ctx->hash);
	struct hlist_head *list;

	if (!hash)
		return NULL;
	list = perf_counter_hashed(hash, tracepoint->id);
	return rcu_dereference_raw(hlist_first_rcu(list));
}

/* Count up to the first counter that more is to be done for, and return that one. */
static __always_inline struct perf_counter *
count_plain(struct hlist_node *node, const struct perf_counter_tracepoint *tracepoint)
{
	struct perf_counter *counter;

	for (; node; node = rcu_dereference_raw(hlist_next_rcu(node))) {
		counter = hlist_entry(node, struct perf_counter, event_node);
		if (counter->desc->event_id != tracepoint->id)
			continue;
		if (counter->filter || READ_ONCE(counter->period) ||
		    !needs_no_record(tracepoint, counter))
			return counter;
		if (does_count(counter))
			local64_inc(&counter->count);
	}
	return NULL;
}

/* The next counter of the event, or NULL. */
static __always_inline struct perf_counter *taking_next(struct taking *taking)
{
	struct perf_counter *counter;
	struct hlist_node *next;

	do {
		if (!taking->next) {
			taking->next = taking->of_cpu;
			taking->of_cpu = NULL;
		}
		counter = taking->next;
		if (!counter)
			return NULL;
		next = rcu_dereference_raw(hlist_next_rcu(&counter->event_node));
		taking->next = hlist_entry_safe(next, struct perf_counter, event_node);
	} while (counter->desc->event_id != taking->tracepoint->id);
	return counter;
}

/* Nobody records the event, for another one is being taken here. */
static noinline void miss(const struct perf_counter_tracepoint *tracepoint,
			  struct perf_counter *of_task, struct perf_counter *of_cpu)
{
	struct taking taking = { .tracepoint = tracepoint, .next = of_task, .of_cpu = of_cpu };
	struct perf_counter *counter;

	while ((counter = taking_next(&taking))) {
		if (!does_count(counter))
			continue;
		if (needs_no_record(tracepoint, counter)) {
			local64_inc(&counter->count);
			if (!counter->period || !perf_counter_period_over(counter, 1))
				continue;
		}
		atomic64_inc(&counter->desc->missed);
	}
}

/* The second half of perf_counter_tracepoint_done(): there are some that may count it. */
static noinline bool taking_begin(const struct perf_counter_tracepoint *tracepoint,
				  struct hlist_node *of_task_node, struct hlist_node *of_cpu_node)
{
	struct perf_counter *of_task = count_plain(of_task_node, tracepoint);
	struct perf_counter *of_cpu = count_plain(of_cpu_node, tracepoint);
	struct taking *taking;

	if (!of_task && !of_cpu)
		return true;

	taking = taking_here();
	if (unlikely(taking->busy)) {
		miss(tracepoint, of_task, of_cpu);
		return true;
	}
	taking->busy = true;
	/* Before whatever may raise an event. */
	barrier();
	taking->tracepoint = tracepoint;
	taking->next = of_task;
	taking->of_cpu = of_cpu;
	return false;
}

/**
 * perf_counter_tracepoint_done() - an event has happened: is all done that it takes?
 * @file: perf_counter's, of the event
 *
 * Context: a probe of the event, any context; preemption disabled. When false,
 * perf_counter_tracepoint_reserve() has to follow.
 * Return: false when somebody wants more of it.
 */
bool perf_counter_tracepoint_done(struct trace_event_file *file)
{
	const struct perf_counter_tracepoint *tracepoint =
		container_of(file, struct perf_counter_tracepoint, file);
	struct perf_counter_ctx *ctx = READ_ONCE(current->perf_counter_ctx);
	struct hlist_node *of_task = ctx ? first_of(ctx, tracepoint) : NULL;
	struct hlist_node *of_cpu = first_of(this_cpu_ptr(&perf_counter_cpu_ctx), tracepoint);

	if (!of_task && !of_cpu)
		return true;
	return taking_begin(tracepoint, of_task, of_cpu);
}

/* === Who takes the record === */

/*
 * An event has counted for @counter, and perhaps its period is over. Returns the period when
 * the sample is to have the record.
 */
static noinline u64 period_of_record(struct taking *taking, struct perf_counter *counter)
{
	struct perf_counter_sample sample = { .ip = taking->ip };

	if (!counter->period)
		return 0;
	sample.period = perf_counter_period_over(counter, 1);
	if (!sample.period)
		return 0;
	if (counter->desc->attr.sample_type & PERF_SAMPLE_RAW)
		return sample.period;
	perf_counter_overflow(counter, &sample, taking->regs);
	return 0;
}

/* Find the next @taker, and do what is to be done for those before it. Is there one? */
static __always_inline bool find_taker(struct taking *taking, struct taker *taker)
{
	struct perf_counter *counter;

	while ((counter = taking_next(taking))) {
		if (!does_count(counter))
			continue;
		taker->counter = counter;
		taker->period = 0;
		if (!needs_no_record(taking->tracepoint, counter))
			return true;
		local64_inc(&counter->count);
		taker->period = period_of_record(taking, counter);
		if (taker->period)
			return true;
	}
	taker->counter = NULL;
	return false;
}

static noinline bool next_taker(struct taking *taking, struct taker *taker)
{
	return find_taker(taking, taker);
}

/* How much @counter wants of what each argument of a system call points to. */
static __always_inline u32 syscall_bytes(const struct taking *taking,
					 const struct perf_counter *counter)
{
	return taking->tracepoint->syscall ? counter->desc->attr.config1 : 0;
}

/* That, in the scratch buffer, behind the place of the record. Returns its bytes. */
static u32 put_syscall(struct taking *taking, const struct perf_counter *counter)
{
	u32 max = syscall_bytes(taking, counter);

	return max ? perf_counter_syscall_put(taking->scratch + taking->len, max) : 0;
}

/* No counter gets the record, which is too long: each that is left has missed the event. */
static noinline void miss_long(struct taking *taking)
{
	do {
		atomic64_inc(&taking->first.counter->desc->missed);
	} while (next_taker(taking, &taking->first));
}

/* Returns the memory for the record; NULL if no counter wants it or it is too long. */
static __always_inline void *taking_reserve(struct taking *taking)
{
	if (!find_taker(taking, &taking->first))
		return NULL;
	if (unlikely(taking->len > SCRATCH_SIZE)) {
		miss_long(taking);
		return NULL;
	}
	taking->second.counter = NULL;
	if (taking->next || taking->of_cpu)
		next_taker(taking, &taking->second);
	/*
	 * The record may have holes, and the scratch buffer an older record, which readers of
	 * this event may not be allowed to see.
	 */
	if (taking->tracepoint->for_all)
		memset64(taking->scratch, 0, DIV_ROUND_UP(taking->len, sizeof(u64)));
	else
		/* The hole at the end of a structure is zero, as in records of perf_events. */
		put_unaligned(0ULL, (u64 *)(taking->scratch + taking->len - sizeof(u64)));
	return taking->scratch;
}

static void taking_end(struct taking *taking)
{
	/* After the last look at it. */
	barrier();
	taking->busy = false;
}

/* Note where the event is, and in what context. */
static __always_inline void set_place(struct taking *taking, struct trace_event_buffer *fbuffer)
{
	enum perf_counter_trace_regs regs = taking->tracepoint->regs;

	fbuffer->trace_ctx = tracing_gen_ctx();
	if (likely(regs == PERF_COUNTER_TRACE_NO_REGS)) {
		taking->ip = fbuffer->ip;
		taking->regs = &perf_counter_no_regs;
		return;
	}
	taking->ip = 0;
	taking->regs = fbuffer->regs;
	if (regs == PERF_COUNTER_TRACE_TASK_REGS) {
		taking->regs = task_pt_regs(current);
		/* Its probe has disabled preemption once more. */
		fbuffer->trace_ctx = tracing_gen_ctx_dec();
	}
}

/**
 * perf_counter_tracepoint_reserve() - room for the record of an event
 * @fbuffer: of the probe; says where the event is, or of a kprobe or uprobe its registers
 * @file: as it was given to perf_counter_tracepoint_done(), which was false
 * @len: bytes of the record
 *
 * Context: as perf_counter_tracepoint_done(). When it returns a place,
 * perf_counter_tracepoint_commit() has to follow.
 * Return: kernel memory of @len bytes for the record, its common fields filled in; NULL when
 * no counter takes the record, or it is longer than PERF_COUNTER_RAW_MAX.
 */
void *perf_counter_tracepoint_reserve(struct trace_event_buffer *fbuffer,
				      struct trace_event_file *file, unsigned long len)
{
	struct taking *taking = taking_here();
	struct trace_entry *entry;

	fbuffer->event = (void *)taking;
	set_place(taking, fbuffer);
	taking->len = len;
	entry = taking_reserve(taking);
	if (!entry) {
		taking_end(taking);
		return NULL;
	}
	fbuffer->trace_file = file;
	fbuffer->regs = NULL;
	fbuffer->entry = entry;
	tracing_generic_entry_update(entry, taking->tracepoint->type, fbuffer->trace_ctx);
	return entry;
}

/* === The record is there === */

/* How many events it stands for. */
static u64 record_weight(const struct taking *taking)
{
	u32 at = taking->tracepoint->weight;

	return at ? get_unaligned((u64 *)(taking->scratch + at)) : 1;
}

static noinline void copy_record(struct taking *taking, struct perf_counter *counter, u64 period)
{
	const struct perf_counter_sample_extra extra = {
		.data_src = PERF_COUNTER_DATA_SRC_NA,
		.raw = taking->scratch, .raw_size = taking->len + put_syscall(taking, counter),
	};
	const struct perf_counter_sample sample = {
		.ip = taking->ip, .period = period, .extra = &extra,
	};

	perf_counter_overflow(counter, &sample, taking->regs);
}

/* The record says whether it counts, and for how much: the period that is over, or 0. */
static __always_inline u64 judge(struct taking *taking, struct perf_counter *counter)
{
	struct event_filter *filter = rcu_dereference_sched(counter->desc->filter);
	u64 nr;

	if (filter && !filter_match_preds(filter, taking->scratch))
		return 0;
	nr = record_weight(taking);
	local64_add(nr, &counter->count);
	return counter->period ? perf_counter_period_over(counter, nr) : 0;
}

/* What @taker makes of the record. */
static __always_inline void take(struct taking *taking, const struct taker *taker)
{
	u64 period = taker->period ?: judge(taking, taker->counter);

	if (period)
		copy_record(taking, taker->counter, period);
}

/**
 * perf_counter_tracepoint_commit() - the record of an event is complete
 * @fbuffer: as perf_counter_tracepoint_reserve() had it
 *
 * Context: as there.
 */
void perf_counter_tracepoint_commit(struct trace_event_buffer *fbuffer)
{
	struct taking *taking = (void *)fbuffer->event;

	take(taking, &taking->first);
	if (unlikely(taking->second.counter)) {
		do
			take(taking, &taking->second);
		while (next_taker(taking, &taking->second));
	}
	taking_end(taking);
}

/* === The PMU === */

/* Of what may it have that arguments point to, and how much? */
static int check_syscall(const struct perf_counter_tracepoint *tracepoint,
			 const struct perf_counter_attr *attr)
{
	static_assert(SZ_64 + PERF_COUNTER_SYSCALL_ROOM <= SCRATCH_SIZE);
	if (!tracepoint->syscall || attr->config1 > PERF_COUNTER_SYSCALL_MAX ||
	    !(attr->sample_type & PERF_SAMPLE_RAW))
		return -EINVAL;
	return perf_counter_syscall_prepare();
}

/* Give @desc the tracepoint that was got for it, unless it may not have it so. */
static int tracepoint_give(struct perf_counter_desc *desc,
			   struct perf_counter_tracepoint *tracepoint)
{
	const struct perf_counter_attr *attr = &desc->attr;
	int err = 0;

	if (attr->config1 && !tracepoint->own)
		err = check_syscall(tracepoint, attr);
	/* How often it happens is no secret, and some of what one does oneself is none. */
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
 * Probes that no other has defined are of types of their own, which perf_events has given its
 * PMUs; 0: there is none.
 */
unsigned int perf_counter_kprobe_type __ro_after_init;
unsigned int perf_counter_uprobe_type __ro_after_init;

static struct perf_counter_tracepoint *get_probe(const struct perf_counter_attr *attr)
{
	bool user = attr->type == perf_counter_uprobe_type;

	/* As perf_events has it. */
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
	err = takings_prepare();
	if (err)
		return err;
	tracepoint = own ? get_probe(attr) :
		     trace_perf_counter_get((const struct perf_event_attr *)attr, desc->task);
	if (IS_ERR(tracepoint))
		return PTR_ERR(tracepoint);
	return tracepoint_give(desc, tracepoint);
}

/* Before, a task that it is about looks like any other. */
static void tracepoint_attached(struct perf_counter_desc *desc)
{
	if (desc->tracepoint->own)
		/* Partner: perf_counter_trace_unwatched(). */
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
	/* Partner: events, which find all of it or nothing. It is freed with the descriptor. */
	if (cmpxchg_release((struct event_filter **)&desc->filter, NULL, filter)) {
		trace_perf_counter_free_filter(filter);
		return -EEXIST;
	}
	return 0;
}

/*
 * The tracepoint is found once more: that of @desc goes when @desc is handed over, and no lock
 * is held against that while memory of the program is touched.
 */
static int tracepoint_query_bpf(struct perf_counter_desc *desc, void __user *info)
{
	const struct perf_event_attr *attr = (const struct perf_event_attr *)&desc->attr;
	struct perf_counter_tracepoint *tracepoint;
	int err;

	if (!perfmon_capable())
		return -EPERM;
	/* As in perf_events, of events of tracefs alone. */
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
/* A probe that @desc was opened with is created once more, at the same place. */
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

/**
 * perf_counter_trace_unwatched() - does nobody want an event of the current process?
 * @file: of the event, perf_counter's or another's
 *
 * A uprobe is set in all that have the file mapped, as nobody knows who will run what. Of a
 * process that it is not about, the first event is the last.
 *
 * Context: a probe of the event, in the current task; RCU read side.
 * Return: true when the probe may be taken out of its memory.
 */
bool perf_counter_trace_unwatched(const struct trace_event_file *file)
{
	const struct perf_counter_tracepoint *tracepoint =
		container_of(file, struct perf_counter_tracepoint, file);
	struct task_struct *thread;
	int nr = 0;

	/* Partner: tracepoint_attached(), after the task has its context. */
	if (!perf_counter_trace_file(file) || !smp_load_acquire(&tracepoint->of_task))
		return false;
	/*
	 * Who has no counters at all will inherit none of this one: that is from a parent whose
	 * memory is a copy of its own, or the same.
	 */
	for_each_thread(current, thread) {
		if (READ_ONCE(thread->perf_counter_ctx))
			return false;
		/* A thread that has exited is listed until it is reaped, and uses no memory. */
		nr += READ_ONCE(thread->mm) == current->mm;
	}
	/* Tasks of other processes that share the memory may be watched. */
	return atomic_read(&current->mm->mm_users) <= nr;
}

static int __init tracepoint_init(void)
{
	/* They are among the first. */
	if (perf_counter_kprobe_type && perf_counter_kprobe_type < 32)
		tracepoint_pmu.types |= BIT(perf_counter_kprobe_type);
	if (perf_counter_uprobe_type && perf_counter_uprobe_type < 32)
		tracepoint_pmu.types |= BIT(perf_counter_uprobe_type);
	return perf_counter_register_pmu(&tracepoint_pmu);
}
core_initcall(tracepoint_init);
