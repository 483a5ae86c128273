// SPDX-License-Identifier: GPL-2.0
/*
 * Creating, closing and freeing descriptors, and the owner of a descriptor.
 */

#include <linux/pid_namespace.h>
#include <linux/slab.h>

#include "../record/record.h"
#include "internal.h"

static struct kmem_cache *desc_cache;

/**
 * perf_counter_new_ids() - Allocate ids that were never used
 * @nr: number of ids
 *
 * Return: the first of @nr consecutive ids.
 */
u64 perf_counter_new_ids(unsigned int nr)
{
	static atomic64_t last_id;

	return atomic64_add_return(nr, &last_id) - nr + 1;
}

static void desc_free(struct perf_counter_desc *desc)
{
	if (desc->pmu->free)
		desc->pmu->free(desc);
	perf_counter_label_free(desc);
	free_percpu(desc->cpus);
	put_pid_ns(desc->records.ns);
	kmem_cache_free(desc_cache, desc);
}

static void desc_free_rcu(struct rcu_head *rcu)
{
	desc_free(container_of(rcu, struct perf_counter_desc, free.rcu));
}

static void desc_free_work(struct work_struct *work)
{
	struct perf_counter_desc *desc;
	int cpu;

	desc = container_of(to_rcu_work(work), struct perf_counter_desc, free);
	perf_counter_limit_sync(desc);
	if (desc->pmu->counter_exit) {
		for_each_cpu(cpu, perf_counter_desc_cpus(desc))
			desc->pmu->counter_exit(perf_counter_opened(desc, cpu));
	}
	desc_free(desc);
}

/*
 * Set up the works that samples and signals queue. From now on, @desc is freed only after they have
 * finished.
 */
static void desc_expect_work(struct perf_counter_desc *desc)
{
	perf_counter_limit_init(desc);
	INIT_RCU_WORK(&desc->free, desc_free_work);
	desc->leaves_work = true;
}

/**
 * perf_counter_desc_expect_signals() - Prepare a descriptor to send signals
 * @desc: the descriptor; the caller has a reference to its file
 *
 * Context: may sleep.
 */
void perf_counter_desc_expect_signals(struct perf_counter_desc *desc)
{
	guard(mutex)(&desc->mutex);
	if (!desc->leaves_work)
		desc_expect_work(desc);
}

/**
 * perf_counter_desc_put() - Drop a reference to a descriptor
 * @desc: the descriptor
 *
 * Context: any, without ctx->lock and without a runqueue's lock.
 */
void perf_counter_desc_put(struct perf_counter_desc *desc)
{
	if (!refcount_dec_and_test(&desc->refs))
		return;
	if (desc->leaves_work)
		queue_rcu_work(system_wq, &desc->free);
	else
		call_rcu(&desc->free.rcu, desc_free_rcu);
}

static void writer_get(struct perf_counter_writer *writer)
{
	refcount_inc(&container_of(writer, struct perf_counter_desc, writer)->refs);
}

static void writer_put(struct perf_counter_writer *writer)
{
	perf_counter_desc_put(container_of(writer, struct perf_counter_desc, writer));
}

static bool writer_over(struct perf_counter_writer *writer)
{
	return perf_counter_no_more_records(container_of(writer, struct perf_counter_desc, writer));
}

static void writer_mapped(struct perf_counter_writer *writer)
{
	perf_counter_user_page_update(container_of(writer, struct perf_counter_desc, writer));
}

/* Operations of a buffer on the descriptors that write to it. */
static const struct perf_counter_writer_ops writer_ops = {
	.get	= writer_get,
	.put	= writer_put,
	.over	= writer_over,
	.mapped	= writer_mapped,
};

/* Return a mask of the hooks that @desc depends on. */
static u32 desc_hooks(const struct perf_counter_desc *desc)
{
	const struct perf_counter_attr *attr = &desc->attr;
	bool switches = desc->event == PERF_COUNT_SW_CONTEXT_SWITCHES ||
			desc->event == PERF_COUNT_SW_CPU_MIGRATIONS ||
			desc->event == PERF_COUNTER_SW_OFF_CPU || attr->context_switch;
	u32 hooks = 0;

	static_assert(BITS_PER_TYPE(hooks) >= PERF_COUNTER_HOOKS);
	if (desc->event >= 0)
		hooks |= BIT(desc->event);
	/* The context of a task starts and stops at context switches. */
	if (desc->task || switches)
		hooks |= BIT(PERF_COUNTER_HOOK_SCHED);
	if (switches)
		hooks |= BIT(PERF_COUNTER_HOOK_SWITCH);
	if (unlikely(desc->records.branches))
		hooks |= BIT(PERF_COUNTER_HOOK_SCHED) | BIT(PERF_COUNTER_HOOK_SWITCH) |
			 BIT(PERF_COUNTER_HOOK_BRANCHES);
	if (attr->config1 && attr->type == PERF_TYPE_TRACEPOINT)
		hooks |= BIT(PERF_COUNTER_HOOK_SYSCALL);
	/* The remaining hooks serve side-band records only. */
	if (!desc->records.plan.sideband && !desc->records.plan.machine)
		return hooks;
	if (perf_counter_wants_task(attr))
		hooks |= BIT(PERF_COUNTER_HOOK_TASK);
	if (attr->comm)
		hooks |= BIT(PERF_COUNTER_HOOK_COMM);
	if (attr->mmap || attr->mmap2 || attr->mmap_data)
		hooks |= BIT(PERF_COUNTER_HOOK_MMAP);
	if (attr->munmap)
		hooks |= BIT(PERF_COUNTER_HOOK_MUNMAP);
	if (attr->context_switch)
		hooks |= BIT(PERF_COUNTER_HOOK_SWITCH_RECORD);
	if (attr->namespaces)
		hooks |= BIT(PERF_COUNTER_HOOK_NAMESPACES);
	if (attr->cgroup)
		hooks |= BIT(PERF_COUNTER_HOOK_CGROUP);
	if (attr->ksymbol || attr->bpf_event)
		hooks |= BIT(PERF_COUNTER_HOOK_KSYMBOL);
	if (attr->text_poke)
		hooks |= BIT(PERF_COUNTER_HOOK_TEXT_POKE);
	return hooks;
}

/*
 * Return true if @desc needs a state of every task. In the state, hooks store when and why the task
 * stops running, that the task moves to another CPU, and the parent of a task that exits. A
 * descriptor of a task needs no states of other tasks, and a counted task has a state.
 */
static bool stores_in_all_tasks(const struct perf_counter_desc *desc)
{
	return !desc->task && desc->hooks & (BIT(PERF_COUNTER_SW_OFF_CPU) |
					     BIT(PERF_COUNT_SW_CPU_MIGRATIONS) |
					     BIT(PERF_COUNTER_HOOK_TASK));
}

static int desc_set_clock(struct perf_counter_desc *desc)
{
	if (!desc->attr.use_clockid) {
		desc->records.clock = perf_counter_clock;
		return 0;
	}
	switch (desc->attr.clockid) {
	case CLOCK_MONOTONIC:
		desc->records.clock = ktime_get_mono_fast_ns;
		return 0;
	case CLOCK_MONOTONIC_RAW:
		desc->records.clock = ktime_get_raw_fast_ns;
		return 0;
	case CLOCK_REALTIME:
		desc->records.clock = ktime_get_real_fast_ns;
		return 0;
	case CLOCK_BOOTTIME:
		desc->records.clock = ktime_get_boot_fast_ns;
		return 0;
	case CLOCK_TAI:
		desc->records.clock = ktime_get_tai_fast_ns;
		return 0;
	default:
		return -EINVAL;
	}
}

/**
 * perf_counter_first_period() - Choose the period that a descriptor's counters start with
 * @desc: the descriptor
 *
 * Return: events per sample, or ns for a clock; 0 for a descriptor that does not sample.
 */
u64 perf_counter_first_period(struct perf_counter_desc *desc)
{
	const struct perf_counter_attr *attr = &desc->attr;

	if (!attr->freq || !attr->sample_freq)
		return attr->sample_period;
	/*
	 * A clock with a frequency has a fixed period. Other events start at 1 and adapt their
	 * period.
	 */
	return desc->event < 0 && !desc->event_id ? div64_u64(NSEC_PER_SEC, attr->sample_freq) : 1;
}

/* Prepare a counter that @desc is opened with, to count on @cpu, or on all CPUs if @cpu is -1. */
static void desc_init_counter(struct perf_counter_desc *desc, struct perf_counter *counter,
			      int cpu, u64 stream_id)
{
	const struct perf_counter_attr *attr = &desc->attr;

	counter->cpu = cpu;
	counter->enabled = !attr->disabled;
	counter->enable_on_exec = attr->enable_on_exec;
	counter->sampling.period = perf_counter_first_period(desc);
	local64_set(&counter->sampling.period_left, counter->sampling.period);
	counter->filter = (desc->task && cpu >= 0 ? FILTER_CPU : 0) |
			  (attr->exclude_user ? FILTER_USER : 0) |
			  (attr->exclude_kernel ? FILTER_KERNEL : 0) |
			  (attr->exclude_idle ? FILTER_IDLE : 0) |
			  (attr->exclude_host ? FILTER_HOST : 0);
	perf_counter_init_counter(counter, desc, stream_id);
}

/*
 * Allocate a counter for each CPU if @desc counts all tasks on all CPUs; else use @desc->first.
 */
static int desc_init_counters(struct perf_counter_desc *desc)
{
	u64 stream_id;
	int cpu;

	if (desc->task || desc->cpu >= 0) {
		desc->id = perf_counter_new_ids(1);
		desc_init_counter(desc, &desc->first, desc->cpu, desc->id);
		return 0;
	}

	desc->cpus = alloc_percpu_gfp(struct perf_counter, GFP_KERNEL_ACCOUNT);
	if (!desc->cpus)
		return -ENOMEM;
	desc->id = perf_counter_new_ids(1 + num_possible_cpus());
	stream_id = desc->id;
	for_each_possible_cpu(cpu)
		desc_init_counter(desc, perf_counter_opened(desc, cpu), cpu, ++stream_id);
	return 0;
}

static void desc_event_exit(struct perf_counter_desc *desc)
{
	if (desc->pmu->event_exit)
		desc->pmu->event_exit(desc);
}

/**
 * perf_counter_desc_alloc() - Create a descriptor that is not attached to a context yet
 * @attr: checked attr
 * @plan: contents of the descriptor's records
 * @task: true: the descriptor counts a task and its children; false: CPUs
 * @cpu: only CPU to count on; -1: all
 * @overflow: overflow function of a descriptor of the kernel; NULL for a descriptor that the
 *	current task opens
 *
 * Context: may sleep.
 * Return: the descriptor, to be closed and put; -ENOMEM; -EINTR; or the error of its PMU or of a
 * security module.
 */
struct perf_counter_desc *perf_counter_desc_alloc(const struct perf_counter_attr *attr,
						  const struct perf_counter_plan *plan, bool task,
						  int cpu, perf_counter_overflow_fn overflow)
{
	struct perf_counter_desc *desc;
	int err;

	desc = kmem_cache_alloc(desc_cache, GFP_KERNEL);
	if (!desc)
		return ERR_PTR(-ENOMEM);

	desc->attr = *attr;
	memset_after(desc, 0, attr);
	/* Treat a frequency of 0 as a period of 0: do not sample. */
	desc->attr.freq &= !!attr->sample_freq;
	desc->task = task;
	desc->cpu = cpu;
	/* A task's counter for one CPU counts only while its context runs there. */
	desc->needs_load = task && cpu >= 0;
	desc->records.plan = *plan;
	refcount_set(&desc->refs, 1);
	mutex_init(&desc->mutex);
	perf_counter_writer_init(&desc->writer, &writer_ops);
	INIT_LIST_HEAD(&desc->counters);
	INIT_LIST_HEAD(&desc->group.members);
	RCU_INIT_POINTER(desc->group.leader, desc);
	desc->overflow = overflow;
	atomic_set(&desc->refresh.limit, overflow ? INT_MAX : -1);
	if (attr->sample_period)
		desc_expect_work(desc);

	err = desc_set_clock(desc);
	if (!err)
		err = perf_counter_find_pmu(desc);
	if (err)
		goto free;
	if (unlikely(attr->sample_type & PERF_SAMPLE_BRANCH_STACK)) {
		err = perf_counter_branches_open(desc);
		if (err)
			goto event_exit;
	}
	err = perf_counter_sample_prepare(desc);
	if (!err)
		err = desc_init_counters(desc);
	if (!err && !overflow)
		err = perf_counter_label_alloc(desc);
	if (err)
		goto branches_close;
	desc->hooks = desc_hooks(desc);
	if (stores_in_all_tasks(desc)) {
		err = perf_counter_states_open();
		if (err)
			goto label_free;
	}
	desc->records.ns = get_pid_ns(overflow ? &init_pid_ns : task_active_pid_ns(current));
	perf_counter_hooks_get(desc->hooks);
	if (desc->records.plan.machine)
		perf_counter_sideband_open(desc);
	return desc;

label_free:
	if (!overflow)
		perf_counter_label_free(desc);
branches_close:
	if (desc->records.branches)
		perf_counter_branches_close(desc);
event_exit:
	desc_event_exit(desc);
free:
	free_percpu(desc->cpus);
	kmem_cache_free(desc_cache, desc);
	return ERR_PTR(err);
}

static void detach_fn(void *counter)
{
	perf_counter_detach(counter);
}

/**
 * perf_counter_desc_close() - Detach a descriptor from its contexts and from its buffer
 * @desc: the descriptor, in no group; no other task has its file, or can get it
 *
 * Context: may sleep.
 */
void perf_counter_desc_close(struct perf_counter_desc *desc)
{
	struct perf_counter *counter, *next;

	mutex_lock(&desc->mutex);
	desc->closed = true;
	list_for_each_entry_safe(counter, next, &desc->counters, desc_node) {
		/*
		 * Remove an inherited counter from the list first: once it is detached, it may be
		 * freed with its task's context.
		 */
		list_del(&counter->desc_node);
		perf_counter_ctx_call(counter->ctx, detach_fn, counter, false);
		cond_resched();
	}
	mutex_unlock(&desc->mutex);
	if (unlikely(desc->records.branches))
		perf_counter_branches_close(desc);
	desc_event_exit(desc);
	perf_counter_buffer_detach(&desc->writer);
	if (desc->records.plan.machine)
		perf_counter_sideband_close(desc);
	if (unlikely(desc->cgroup))
		perf_counter_cgroup_put(desc->cgroup);
	perf_counter_hooks_put(desc->hooks);
	if (stores_in_all_tasks(desc))
		perf_counter_states_close();
}

/* Clear the owner of @desc, which is @owner. owned.mutex of the owner's state is held. */
static void desc_disown(struct perf_counter_desc *desc, struct task_struct *owner)
{
	lockdep_assert_held(&perf_counter_task_state(owner)->owned.mutex);
	list_del_init(&desc->owner.node);
	WRITE_ONCE(desc->owner.task, NULL);
	put_task_struct(owner);
}

/**
 * perf_counter_leave_owner() - Remove a descriptor from the list of its owner
 * @desc: the descriptor
 *
 * Context: may sleep.
 */
void perf_counter_leave_owner(struct perf_counter_desc *desc)
{
	struct perf_counter_task *state;
	struct task_struct *owner;

	/* An owner that exits clears desc->owner.task, and is freed after an RCU grace period. */
	rcu_read_lock();
	owner = READ_ONCE(desc->owner.task);
	if (owner)
		get_task_struct(owner);
	rcu_read_unlock();
	if (!owner)
		return;
	/* A task that has opened a descriptor has a state. */
	state = perf_counter_task_state(owner);
	mutex_lock(&state->owned.mutex);
	if (desc->owner.task)
		desc_disown(desc, owner);
	mutex_unlock(&state->owned.mutex);
	put_task_struct(owner);
}

/**
 * perf_counter_disown() - Clear the owner of all descriptors that a task opened
 * @task: the current task, which is exiting
 *
 * A descriptor may live longer than its owner, and must not keep the task_struct.
 *
 * Context: may sleep.
 */
void perf_counter_disown(struct task_struct *task)
{
	struct perf_counter_task *state = perf_counter_task_state(task);
	struct perf_counter_desc *desc, *next;

	/* An empty list stays empty: only the task itself adds descriptors. */
	if (!state || list_empty(&state->owned.descs))
		return;
	mutex_lock(&state->owned.mutex);
	list_for_each_entry_safe(desc, next, &state->owned.descs, owner.node)
		desc_disown(desc, task);
	mutex_unlock(&state->owned.mutex);
}

static int __init desc_init(void)
{
	desc_cache = KMEM_CACHE(perf_counter_desc, SLAB_ACCOUNT | SLAB_PANIC);
	return 0;
}
core_initcall(desc_init);
