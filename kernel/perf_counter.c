// SPDX-License-Identifier: GPL-2.0
/*
 * Performance counters as file descriptors: the system call, and what can be
 * done with a descriptor.
 *
 * A descriptor has one counter where it was opened, or one on each CPU of the
 * whole machine, and one more in each task that inherits it. What a program
 * does to the descriptor is done to all of them; what it reads is their sum,
 * with what those of ended tasks had.
 *
 * The other files: perf_counter_attr.c (what may be asked), perf_counter_ctx.c
 * (contexts and counters), perf_counter_sched.c (which of them run),
 * perf_counter_sw.c and perf_counter_hw.c (what counts), perf_counter_read.c
 * (what read() returns),
 * perf_counter_overflow.c, perf_counter_output.c, perf_counter_callchain.c and perf_counter_task.c
 * (records), perf_counter_buffer.c, perf_counter_splice.c and
 * perf_counter_ring.c (where they go).
 * perf_counter.h has the data structures and the lock order.
 */

#include <linux/anon_inodes.h>
#include <linux/compat.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

#include "perf_counter.h"

/* Programs hand the same structure to either subsystem. */
#define AT(subsystem, field)	offsetof(struct perf_##subsystem##_attr, field)
static_assert(sizeof(struct perf_counter_attr) == PERF_COUNTER_ATTR_SIZE_VER8);
static_assert(sizeof(struct perf_counter_attr) == sizeof(struct perf_event_attr));
static_assert(AT(counter, type) == AT(event, type));
static_assert(AT(counter, size) == AT(event, size));
static_assert(AT(counter, config) == AT(event, config));
static_assert(AT(counter, sample_period) == AT(event, sample_period));
static_assert(AT(counter, sample_type) == AT(event, sample_type));
static_assert(AT(counter, read_format) == AT(event, read_format));
static_assert(AT(counter, wakeup_events) == AT(event, wakeup_events));
static_assert(AT(counter, bp_type) == AT(event, bp_type));
static_assert(AT(counter, config1) == AT(event, config1));
static_assert(AT(counter, config2) == AT(event, config2));
static_assert(AT(counter, branch_sample_type) == AT(event, branch_sample_type));
static_assert(AT(counter, sample_regs_user) == AT(event, sample_regs_user));
static_assert(AT(counter, sample_stack_user) == AT(event, sample_stack_user));
static_assert(AT(counter, clockid) == AT(event, clockid));
static_assert(AT(counter, sample_regs_intr) == AT(event, sample_regs_intr));
static_assert(AT(counter, aux_watermark) == AT(event, aux_watermark));
static_assert(AT(counter, sample_max_stack) == AT(event, sample_max_stack));
static_assert(AT(counter, aux_sample_size) == AT(event, aux_sample_size));
static_assert(AT(counter, sig_data) == AT(event, sig_data));
static_assert(AT(counter, config3) == AT(event, config3));
#undef AT

static const struct file_operations perf_counter_fops;
static struct kmem_cache *desc_cache;

/* Tried in turn for software events; the PMU has all the others. */
static const struct perf_counter_pmu *const software_pmus[] = {
	&perf_counter_sw_pmu,
	&perf_counter_clock_pmu,
};

/**
 * perf_counter_new_ids() - take ids that were never used
 * @nr: how many
 *
 * Return: the first; the others follow.
 */
u64 perf_counter_new_ids(unsigned int nr)
{
	static atomic64_t last_id;

	return atomic64_add_return(nr, &last_id) - nr + 1;
}

/* === Security modules === */

/*
 * They label a struct perf_event, and know no other. One that is nothing but
 * a label stands for the descriptor.
 */
#if defined(CONFIG_SECURITY) && defined(CONFIG_PERF_EVENTS)
static int desc_lsm_alloc(struct perf_counter_desc *desc)
{
	int err;

	desc->lsm = kzalloc(sizeof(*desc->lsm), GFP_KERNEL);
	if (!desc->lsm)
		return -ENOMEM;
	err = security_perf_event_alloc(desc->lsm);
	if (err) {
		kfree(desc->lsm);
		desc->lsm = NULL;
	}
	return err;
}

static void desc_lsm_free(struct perf_counter_desc *desc)
{
	if (!desc->lsm)
		return;
	security_perf_event_free(desc->lsm);
	kfree(desc->lsm);
}

static int desc_lsm_read(struct perf_counter_desc *desc)
{
	return security_perf_event_read(desc->lsm);
}

static int desc_lsm_write(struct perf_counter_desc *desc)
{
	return security_perf_event_write(desc->lsm);
}
#else
static int desc_lsm_alloc(struct perf_counter_desc *desc) { return 0; }
static void desc_lsm_free(struct perf_counter_desc *desc) { }
static int desc_lsm_read(struct perf_counter_desc *desc) { return 0; }
static int desc_lsm_write(struct perf_counter_desc *desc) { return 0; }
#endif

/* === Groups of descriptors === */

/**
 * perf_counter_group_lock() - lock the leader of a descriptor's group
 * @desc: the descriptor, which may be the leader itself
 *
 * With it, the group stays as it is.
 *
 * Context: may sleep.
 * Return: the leader, with a reference, for perf_counter_group_unlock().
 */
struct perf_counter_desc *perf_counter_group_lock(struct perf_counter_desc *desc)
{
	struct perf_counter_desc *leader;

	for (;;) {
		rcu_read_lock();
		leader = rcu_dereference(desc->leader);
		if (!refcount_inc_not_zero(&leader->refs))
			leader = NULL;
		rcu_read_unlock();
		if (!leader)
			continue;

		mutex_lock(&leader->mutex);
		if (rcu_access_pointer(desc->leader) == leader)
			return leader;
		/* It was closed meanwhile, and its members went their ways. */
		mutex_unlock(&leader->mutex);
		perf_counter_desc_put(leader);
	}
}

/**
 * perf_counter_group_unlock() - let the group change again
 * @leader: from perf_counter_group_lock()
 */
void perf_counter_group_unlock(struct perf_counter_desc *leader)
{
	mutex_unlock(&leader->mutex);
	perf_counter_desc_put(leader);
}

/* @leader->mutex held. */
static void group_join(struct perf_counter_desc *leader, struct perf_counter_desc *desc)
{
	rcu_assign_pointer(desc->leader, leader);
	list_add_tail(&desc->member_node, &leader->members);
	desc->slot = ++leader->nr_members;
}

/* Take @desc out of its group; when it leads, the others out of it. */
static void group_leave(struct perf_counter_desc *desc)
{
	struct perf_counter_desc *leader, *member, *next;
	unsigned int slot = 0;

	/* Alone, and nobody joins it who has not got its file. */
	if (rcu_access_pointer(desc->leader) == desc && list_empty_careful(&desc->members))
		return;

	leader = perf_counter_group_lock(desc);
	if (leader == desc) {
		list_for_each_entry_safe(member, next, &desc->members, member_node) {
			list_del(&member->member_node);
			member->slot = 0;
			rcu_assign_pointer(member->leader, member);
		}
		desc->nr_members = 0;
	} else {
		list_del(&desc->member_node);
		leader->nr_members--;
		list_for_each_entry(member, &leader->members, member_node)
			member->slot = ++slot;
		rcu_assign_pointer(desc->leader, desc);
	}
	perf_counter_group_unlock(leader);
}

/* === The life of a descriptor === */

static void desc_free(struct perf_counter_desc *desc)
{
	desc_lsm_free(desc);
	free_percpu(desc->cpus);
	put_pid_ns(desc->ns);
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
	irq_work_sync(&desc->work);
	flush_work(&desc->stop_work);
	if (desc->pmu->counter_exit) {
		for_each_cpu(cpu, perf_counter_desc_cpus(desc))
			desc->pmu->counter_exit(perf_counter_opened(desc, cpu));
	}
	desc_free(desc);
}

/**
 * perf_counter_desc_put() - drop a reference to a descriptor
 * @desc: the descriptor
 *
 * Context: any but where ctx->lock or a runqueue's lock is held.
 */
void perf_counter_desc_put(struct perf_counter_desc *desc)
{
	if (!refcount_dec_and_test(&desc->refs))
		return;
	/* Only samples queue irq_work, which may have to be waited for. */
	if (desc->attr.sample_period)
		queue_rcu_work(system_wq, &desc->free);
	else
		call_rcu(&desc->free.rcu, desc_free_rcu);
}

/* Stop @counter, whose limit is used up, unless it was enabled again meanwhile. */
static void stop_at_limit_fn(void *arg)
{
	struct perf_counter *counter = arg;

	if (!atomic_read(&counter->desc->limit))
		perf_counter_set_enabled(counter, false);
}

/* The same from anywhere. False when it is to be done where the context is live. */
static bool counter_stop_at_limit(struct perf_counter *counter)
{
	struct perf_counter_ctx *ctx;
	bool stopped = true;
	unsigned long flags;

	guard(rcu)();
	ctx = READ_ONCE(counter->ctx);
	if (!ctx)
		return true;
	raw_spin_lock_irqsave(&ctx->lock, flags);
	/* While it is locked the counter stays, if it is still there. */
	if (counter->ctx == ctx) {
		stopped = !ctx->nr_load;
		if (stopped)
			stop_at_limit_fn(counter);
	}
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return stopped;
}

/* All counters of @desc have stopped at its limit: say so, once. */
static void desc_hang_up(struct perf_counter_desc *desc)
{
	WRITE_ONCE(desc->stopped, true);
	wake_up_all(&desc->waitq);
	if (atomic_cmpxchg(&desc->hangup, HANGUP, HANGUP_TOLD) == HANGUP)
		kill_fasync(&desc->fasync, SIGIO, POLL_HUP);
}

/* Is the limit of @desc used up, and the last record written? */
static bool desc_at_limit(struct perf_counter_desc *desc)
{
	return atomic_read(&desc->hangup) != NO_HANGUP && !atomic_read(&desc->limit);
}

static void desc_stop_work(struct work_struct *work)
{
	struct perf_counter_desc *desc = container_of(work, struct perf_counter_desc, stop_work);
	struct perf_counter *counter;

	mutex_lock(&desc->mutex);
	/* Not if REFRESH was faster. */
	if (desc_at_limit(desc)) {
		list_for_each_entry(counter, &desc->counters, desc_node)
			perf_counter_ctx_call(counter->ctx, stop_at_limit_fn, counter, false);
		desc_hang_up(desc);
	}
	mutex_unlock(&desc->mutex);
}

/* What the last sample, or one that asks for a signal, has left to do. */
static void desc_irq_work(struct irq_work *work)
{
	struct perf_counter_desc *desc = container_of(work, struct perf_counter_desc, work);
	bool stopped = true;
	int cpu;

	if (!desc_at_limit(desc)) {
		kill_fasync(&desc->fasync, SIGIO, POLL_IN);
		return;
	}
	for_each_cpu(cpu, perf_counter_desc_cpus(desc))
		stopped &= counter_stop_at_limit(perf_counter_opened(desc, cpu));
	if (stopped)
		desc_hang_up(desc);
	else
		queue_work(system_highpri_wq, &desc->stop_work);
}

/* Static keys that the events of @desc depend on. */
static void desc_hooks(struct perf_counter_desc *desc, void (*fn)(unsigned int hook))
{
	const struct perf_counter_attr *attr = &desc->attr;
	bool switches = desc->event == PERF_COUNT_SW_CONTEXT_SWITCHES ||
			desc->event == PERF_COUNT_SW_CPU_MIGRATIONS || attr->context_switch;

	if (desc->event >= 0)
		fn(desc->event);
	/* Contexts of tasks follow their tasks. */
	if (desc->task || switches)
		fn(PERF_COUNTER_HOOK_SCHED);
	if (switches)
		fn(PERF_COUNTER_HOOK_SWITCH);
	/* Most want none of the rest. */
	if (!desc->sideband && !desc->machine)
		return;
	if (perf_counter_wants_task(attr))
		fn(PERF_COUNTER_HOOK_TASK);
	if (attr->comm)
		fn(PERF_COUNTER_HOOK_COMM);
	if (attr->mmap || attr->mmap2 || attr->mmap_data)
		fn(PERF_COUNTER_HOOK_MMAP);
	if (attr->munmap)
		fn(PERF_COUNTER_HOOK_MUNMAP);
	if (attr->context_switch)
		fn(PERF_COUNTER_HOOK_SWITCH_RECORD);
	if (attr->namespaces)
		fn(PERF_COUNTER_HOOK_NAMESPACES);
	if (attr->cgroup)
		fn(PERF_COUNTER_HOOK_CGROUP);
	if (attr->ksymbol || attr->bpf_event)
		fn(PERF_COUNTER_HOOK_KSYMBOL);
	if (attr->text_poke)
		fn(PERF_COUNTER_HOOK_TEXT_POKE);
}

static int desc_set_clock(struct perf_counter_desc *desc)
{
	if (!desc->attr.use_clockid) {
		desc->clock = perf_counter_clock;
		return 0;
	}
	switch (desc->attr.clockid) {
	case CLOCK_MONOTONIC:
		desc->clock = ktime_get_mono_fast_ns;
		return 0;
	case CLOCK_MONOTONIC_RAW:
		desc->clock = ktime_get_raw_fast_ns;
		return 0;
	case CLOCK_REALTIME:
		desc->clock = ktime_get_real_fast_ns;
		return 0;
	case CLOCK_BOOTTIME:
		desc->clock = ktime_get_boot_fast_ns;
		return 0;
	case CLOCK_TAI:
		desc->clock = ktime_get_tai_fast_ns;
		return 0;
	default:
		return -EINVAL;
	}
}

static int desc_find_pmu(struct perf_counter_desc *desc)
{
	unsigned int i;
	int err;

	if (desc->attr.type != PERF_TYPE_SOFTWARE) {
		desc->pmu = &perf_counter_hw_pmu;
		return desc->pmu->event_init(desc);
	}
	for (i = 0; i < ARRAY_SIZE(software_pmus); i++) {
		err = software_pmus[i]->event_init(desc);
		if (err != -ENOENT) {
			desc->pmu = software_pmus[i];
			return err;
		}
	}
	return -ENOENT;
}

/* Events per sample to begin with, 0 for a counter that does not sample. */
static u64 desc_first_period(struct perf_counter_desc *desc)
{
	const struct perf_counter_attr *attr = &desc->attr;

	if (!attr->freq || !attr->sample_freq)
		return attr->sample_period;
	/* A clock's period follows from the frequency; others find out. */
	return desc->event < 0 ? div64_u64(NSEC_PER_SEC, attr->sample_freq) : 1;
}

/* Prepare a counter that @desc is opened with, for @cpu alone, or -1. */
static void desc_init_counter(struct perf_counter_desc *desc, struct perf_counter *counter,
			      int cpu, u64 stream_id)
{
	const struct perf_counter_attr *attr = &desc->attr;

	perf_counter_init_counter(counter, desc, stream_id);
	counter->cpu = cpu;
	counter->enabled = !attr->disabled;
	counter->enable_on_exec = attr->enable_on_exec;
	counter->period = desc_first_period(desc);
	local64_set(&counter->period_left, counter->period);
	counter->filter = (desc->task && cpu >= 0 ? FILTER_CPU : 0) |
			  (attr->exclude_user ? FILTER_USER : 0) |
			  (attr->exclude_kernel ? FILTER_KERNEL : 0) |
			  (attr->exclude_idle ? FILTER_IDLE : 0) |
			  (attr->exclude_host ? FILTER_ALWAYS : 0);
}

/* Every task on every CPU takes a counter for each CPU; else one is enough. */
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

/* A descriptor with all that does not depend on its context. */
static struct perf_counter_desc *desc_alloc(const struct perf_counter_attr *attr, bool task,
					    int cpu)
{
	struct perf_counter_desc *desc;
	int err;

	desc = kmem_cache_zalloc(desc_cache, GFP_KERNEL);
	if (!desc)
		return ERR_PTR(-ENOMEM);

	desc->attr = *attr;
	/* Never is no frequency. */
	desc->attr.freq &= !!attr->sample_freq;
	desc->task = task;
	desc->cpu = cpu;
	/* A task's counter for one CPU starts and stops with its context. */
	desc->load = task && cpu >= 0;
	desc->sideband = perf_counter_wants_sideband(attr);
	desc->machine = perf_counter_wants_machine(attr);
	refcount_set(&desc->refs, 1);
	mutex_init(&desc->mutex);
	mutex_init(&desc->buffer_mutex);
	INIT_LIST_HEAD(&desc->counters);
	INIT_LIST_HEAD(&desc->members);
	RCU_INIT_POINTER(desc->leader, desc);
	init_waitqueue_head(&desc->waitq);
	atomic_set(&desc->limit, -1);
	/* Only samples leave work behind; see perf_counter_desc_put(). */
	if (attr->sample_period) {
		init_irq_work(&desc->work, desc_irq_work);
		INIT_RCU_WORK(&desc->free, desc_free_work);
		INIT_WORK(&desc->stop_work, desc_stop_work);
	}

	err = desc_set_clock(desc);
	if (!err)
		err = desc_find_pmu(desc);
	if (err)
		goto free;
	err = perf_counter_output_init(desc);
	if (!err)
		err = desc_init_counters(desc);
	if (!err)
		err = desc_lsm_alloc(desc);
	if (err)
		goto event_exit;
	desc->ns = get_pid_ns(task_active_pid_ns(current));
	desc_hooks(desc, perf_counter_hook_get);
	if (desc->machine)
		perf_counter_sideband_open(desc);
	return desc;

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

/* No more events for @desc, and no more records of it. */
static void desc_close(struct perf_counter_desc *desc)
{
	struct perf_counter *counter, *next;

	group_leave(desc);
	mutex_lock(&desc->mutex);
	desc->closed = true;
	list_for_each_entry_safe(counter, next, &desc->counters, desc_node) {
		/* Once detached, it may go any time with its task's context. */
		list_del(&counter->desc_node);
		perf_counter_ctx_call(counter->ctx, detach_fn, counter, false);
	}
	mutex_unlock(&desc->mutex);
	desc_event_exit(desc);
	perf_counter_buffer_detach(desc);
	if (desc->machine)
		perf_counter_sideband_close(desc);
	desc_hooks(desc, perf_counter_hook_put);
}

/**
 * perf_counter_disown() - the descriptors that a task opened have no owner now
 * @task: the task, which is ending
 */
void perf_counter_disown(struct task_struct *task)
{
	struct perf_counter_desc *desc, *next;

	/* The task alone adds to the list. */
	if (list_empty(&task->perf_counter_owned))
		return;
	mutex_lock(&task->perf_counter_mutex);
	list_for_each_entry_safe(desc, next, &task->perf_counter_owned, owner_node)
		list_del_init(&desc->owner_node);
	mutex_unlock(&task->perf_counter_mutex);
}

static int perf_counter_release(struct inode *inode, struct file *file)
{
	struct perf_counter_desc *desc = file->private_data;

	mutex_lock(&desc->owner->perf_counter_mutex);
	list_del_init(&desc->owner_node);
	mutex_unlock(&desc->owner->perf_counter_mutex);
	put_task_struct(desc->owner);

	desc_close(desc);
	perf_counter_desc_put(desc);
	return 0;
}

static ssize_t perf_counter_read_file(struct file *file, char __user *buf, size_t count,
				      loff_t *ppos)
{
	struct perf_counter_desc *desc = file->private_data;
	int err = desc_lsm_read(desc);

	if (err)
		return err;
	return perf_counter_read_desc(desc, buf, count);
}

/* === Control === */

struct counter_op {
	struct perf_counter	*counter;
	u64			arg;
};

static void set_enabled_fn(void *arg)
{
	struct counter_op *op = arg;

	perf_counter_set_enabled(op->counter, op->arg);
}

static void set_period_fn(void *arg)
{
	struct counter_op *op = arg;

	perf_counter_set_period(op->counter, op->arg);
}

static void reset_fn(void *arg)
{
	struct counter_op *op = arg;
	struct perf_counter_value value;

	perf_counter_value_of(op->counter, perf_counter_ctx_time(op->counter->ctx), &value);
	/* Partner: the acquire in perf_counter_count(). */
	smp_store_release(&op->counter->base, op->counter->base + value.count);
}

/* Do @fn to every counter of @desc, as ctx_call() does; its mutex is held. */
static void desc_each_counter(struct perf_counter_desc *desc, void (*fn)(void *arg), u64 arg,
			      bool atomic)
{
	struct counter_op op = { .arg = arg };

	list_for_each_entry(op.counter, &desc->counters, desc_node)
		perf_counter_ctx_call(op.counter->ctx, fn, &op, atomic);
}

static void desc_disable(struct perf_counter_desc *desc)
{
	desc_each_counter(desc, set_enabled_fn, false, false);
}

/* Off, and what was said of the limit before is forgotten. */
static void desc_stop(struct perf_counter_desc *desc)
{
	desc_disable(desc);
	atomic_set(&desc->hangup, NO_HANGUP);
	WRITE_ONCE(desc->stopped, false);
}

static void desc_enable(struct perf_counter_desc *desc)
{
	/* With a limit it may just have stopped, and only seem to be enabled. */
	if (atomic_read(&desc->limit) >= 0) {
		desc_stop(desc);
		/* A limit that is used up is over. */
		atomic_cmpxchg(&desc->limit, 0, -1);
	}
	desc_each_counter(desc, set_enabled_fn, true, false);
}

/* Counts begin at 0 again. Times go on. */
static void desc_reset(struct perf_counter_desc *desc)
{
	atomic64_set(&desc->gone_count, 0);
	desc_each_counter(desc, reset_fn, 0, false);
}

static void desc_do(struct perf_counter_desc *desc, void (*fn)(struct perf_counter_desc *desc))
{
	mutex_lock(&desc->mutex);
	fn(desc);
	mutex_unlock(&desc->mutex);
	perf_counter_update_control(desc);
}

/* To the whole group of @desc. */
static void group_do(struct perf_counter_desc *desc, void (*fn)(struct perf_counter_desc *desc))
{
	struct perf_counter_desc *leader = perf_counter_group_lock(desc);
	struct perf_counter_desc *member;

	fn(leader);
	perf_counter_update_control(leader);
	list_for_each_entry(member, &leader->members, member_node) {
		mutex_lock_nested(&member->mutex, SINGLE_DEPTH_NESTING);
		fn(member);
		perf_counter_update_control(member);
		mutex_unlock(&member->mutex);
	}
	perf_counter_group_unlock(leader);
}

/* Enable for @nr more overflows; 0: for as many as there will be. */
static int desc_refresh(struct perf_counter_desc *desc, unsigned long nr)
{
	int limit;

	if (desc->attr.inherit || !desc->attr.sample_period || nr > INT_MAX)
		return -EINVAL;

	mutex_lock(&desc->mutex);
	limit = max(atomic_read(&desc->limit), 0);
	if (nr > INT_MAX - limit) {
		mutex_unlock(&desc->mutex);
		return -EINVAL;
	}
	/*
	 * Off, so that no event uses the new limit up before the start that
	 * belongs to it. One that is half-way through may still count it down,
	 * but not below 0, and not from -1.
	 */
	desc_stop(desc);
	if (!nr)
		atomic_set(&desc->limit, -1);
	else if (atomic_cmpxchg(&desc->limit, -1, nr) != -1)
		atomic_add(nr, &desc->limit);
	desc_each_counter(desc, set_enabled_fn, true, false);
	/* Used up by such an event: its irq_work may have been too early to stop it. */
	if (atomic_read(&desc->hangup) != NO_HANGUP)
		irq_work_queue(&desc->work);
	mutex_unlock(&desc->mutex);
	perf_counter_update_control(desc);
	return 0;
}

static int desc_set_period(struct perf_counter_desc *desc, u64 value)
{
	struct perf_counter_attr *attr = &desc->attr;

	if (!attr->sample_period || !value)
		return -EINVAL;
	if (attr->freq ? value > READ_ONCE(sysctl_perf_counter_max_sample_rate) :
			 value & BIT_ULL(63))
		return -EINVAL;

	mutex_lock(&desc->mutex);
	/* Period and frequency share a field. */
	WRITE_ONCE(attr->sample_period, value);
	/* Its events count the period down without a lock: not meanwhile. */
	desc_each_counter(desc, set_period_fn, desc_first_period(desc), true);
	mutex_unlock(&desc->mutex);
	return 0;
}

static int desc_set_output(struct perf_counter_desc *desc, int fd)
{
	CLASS(fd, output)(fd);

	if (fd == -1)
		return perf_counter_buffer_redirect(desc, NULL);
	if (!fd_file(output) || fd_file(output)->f_op != &perf_counter_fops)
		return -EBADF;
	return perf_counter_buffer_redirect(desc, fd_file(output)->private_data);
}

static long perf_counter_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct perf_counter_desc *desc = file->private_data;
	void (*fn)(struct perf_counter_desc *desc);
	u64 value;
	int err;

	err = desc_lsm_write(desc);
	if (err)
		return err;

	switch (cmd) {
	case PERF_COUNTER_IOC_ENABLE:
		fn = desc_enable;
		break;
	case PERF_COUNTER_IOC_DISABLE:
		fn = desc_disable;
		break;
	case PERF_COUNTER_IOC_RESET:
		fn = desc_reset;
		break;
	case PERF_COUNTER_IOC_REFRESH:
		return desc_refresh(desc, arg);
	case PERF_COUNTER_IOC_PERIOD:
		if (copy_from_user(&value, (u64 __user *)arg, sizeof(value)))
			return -EFAULT;
		return desc_set_period(desc, value);
	case PERF_COUNTER_IOC_ID:
		return copy_to_user((u64 __user *)arg, &desc->id, sizeof(u64)) ? -EFAULT : 0;
	case PERF_COUNTER_IOC_SET_OUTPUT:
		return desc_set_output(desc, arg);
	case PERF_COUNTER_IOC_PAUSE_OUTPUT:
		return perf_counter_buffer_pause(desc, arg);
	default:
		return -ENOTTY;
	}

	/* Programs that leave the argument out pass anything. */
	if (arg & PERF_COUNTER_IOC_FLAG_GROUP)
		group_do(desc, fn);
	else
		desc_do(desc, fn);
	return 0;
}

#ifdef CONFIG_COMPAT
/* The number of an ioctl that takes a pointer to a pointer has its size in it. */
static long perf_counter_compat_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (cmd == _IOR('$', 7, compat_uptr_t))
		cmd = PERF_COUNTER_IOC_ID;
	return perf_counter_ioctl(file, cmd, arg);
}
#else
#define perf_counter_compat_ioctl	NULL
#endif

/**
 * perf_counter_is_over() - has a descriptor no more to record?
 * @desc: the descriptor
 *
 * Context: any.
 * Return: true when all that it counted has ended, or the limit that REFRESH
 * set is used up.
 */
bool perf_counter_is_over(struct perf_counter_desc *desc)
{
	if (READ_ONCE(desc->stopped) && !atomic_read(&desc->limit))
		return true;
	return list_empty_careful(&desc->counters);
}

static __poll_t perf_counter_poll(struct file *file, poll_table *wait)
{
	struct perf_counter_desc *desc = file->private_data;
	bool over;

	poll_wait(file, &desc->waitq, wait);
	over = perf_counter_is_over(desc);
	/* Partner: the exchange that published the last record. */
	smp_rmb();
	return perf_counter_buffer_poll(desc, over) | (over ? EPOLLHUP : 0);
}

static int perf_counter_mmap_file(struct file *file, struct vm_area_struct *vma)
{
	struct perf_counter_desc *desc = file->private_data;
	int err = desc_lsm_read(desc);

	return err ?: perf_counter_buffer_mmap(desc, vma);
}

static ssize_t perf_counter_splice_file(struct file *file, loff_t *ppos,
					struct pipe_inode_info *pipe, size_t len,
					unsigned int flags)
{
	struct perf_counter_desc *desc = file->private_data;
	bool wait = !(flags & SPLICE_F_NONBLOCK) && !(file->f_flags & O_NONBLOCK);
	int err = desc_lsm_read(desc);

	return err ?: perf_counter_splice(desc, pipe, len, wait);
}

static int perf_counter_fasync(int fd, struct file *file, int on)
{
	struct perf_counter_desc *desc = file->private_data;

	return fasync_helper(fd, file, on, &desc->fasync);
}

static const struct file_operations perf_counter_fops = {
	.release	= perf_counter_release,
	.read		= perf_counter_read_file,
	.poll		= perf_counter_poll,
	.unlocked_ioctl	= perf_counter_ioctl,
	.compat_ioctl	= perf_counter_compat_ioctl,
	.mmap		= perf_counter_mmap_file,
	.splice_read	= perf_counter_splice_file,
	.fasync		= perf_counter_fasync,
};

static int owned_do(void (*fn)(struct perf_counter_desc *desc))
{
	struct perf_counter_desc *desc;

	mutex_lock(&current->perf_counter_mutex);
	list_for_each_entry(desc, &current->perf_counter_owned, owner_node)
		desc_do(desc, fn);
	mutex_unlock(&current->perf_counter_mutex);
	return 0;
}

/**
 * perf_counter_task_disable() - prctl(PR_TASK_PERF_COUNTERS_DISABLE)
 * @error: what perf_events said; it does not count, since there are counters
 *
 * Return: 0.
 */
int perf_counter_task_disable(int error)
{
	return owned_do(desc_disable);
}

/**
 * perf_counter_task_enable() - prctl(PR_TASK_PERF_COUNTERS_ENABLE)
 * @error: what perf_events said; it does not count, since there are counters
 *
 * Return: 0.
 */
int perf_counter_task_enable(int error)
{
	return owned_do(desc_enable);
}

/* === Opening === */

static int desc_first_cpu(struct perf_counter_desc *desc)
{
	return cpumask_first(perf_counter_desc_cpus(desc));
}

/*
 * Would @desc, in the group of @leader, leave at an exec without it, or stay? Then
 * nobody may read the group as one.
 */
static bool group_would_part(struct perf_counter_desc *leader, struct perf_counter_desc *desc)
{
	bool leaves = leader->attr.remove_on_exec, parts = desc->attr.remove_on_exec != leaves;
	u64 formats = leader->attr.read_format | desc->attr.read_format;
	struct perf_counter_desc *member;

	list_for_each_entry(member, &leader->members, member_node) {
		parts |= member->attr.remove_on_exec != leaves;
		formats |= member->attr.read_format;
	}
	return parts && (formats & PERF_FORMAT_GROUP);
}

/* May @desc, in @ctx, join the group of @leader, whose mutex is held? */
static int group_check(struct perf_counter_desc *leader, struct perf_counter_desc *desc,
		       struct perf_counter_ctx *ctx)
{
	struct perf_counter_desc *member;
	unsigned int nr = leader->nr_members + 1;
	struct perf_counter_ctx *leader_ctx;

	leader_ctx = perf_counter_opened(leader, desc_first_cpu(leader))->ctx;
	if (leader->closed || !leader_ctx)
		return -ENODEV;
	/* One level; one context, CPU and clock; its leader speaks for it. */
	if (rcu_access_pointer(leader->leader) != leader)
		return -EINVAL;
	if (leader_ctx != ctx || leader->cpu != desc->cpu ||
	    leader->clock != desc->clock || leader->attr.inherit != desc->attr.inherit)
		return -EINVAL;
	if (desc->attr.pinned || desc->attr.exclusive || group_would_part(leader, desc))
		return -EINVAL;

	/* Everybody's record of the group has to stay a record. */
	if (perf_counter_read_size(leader, nr) > PERF_COUNTER_READ_SIZE_MAX ||
	    perf_counter_read_size(desc, nr) > PERF_COUNTER_READ_SIZE_MAX)
		return -E2BIG;
	list_for_each_entry(member, &leader->members, member_node) {
		if (perf_counter_read_size(member, nr) > PERF_COUNTER_READ_SIZE_MAX)
			return -E2BIG;
	}
	return 0;
}

/**
 * struct attach - puts a counter into its context
 * @ctx: the context
 * @counter: the counter
 * @leader: of its group in that context, or itself
 * @activate: set when the context had no counter before
 * @err: set to -ENODEV when the counter is for a CPU which is offline
 */
struct attach {
	struct perf_counter_ctx	*ctx;
	struct perf_counter	*counter;
	struct perf_counter	*leader;
	bool			activate;
	int			err;
};

static void attach_fn(void *arg)
{
	struct attach *attach = arg;
	struct perf_counter_ctx *ctx = attach->ctx;

	/* For the whole machine, a CPU is counted from when it comes online. */
	if (!ctx->task && ctx->live_cpu < 0 && !attach->counter->desc->cpus) {
		attach->err = -ENODEV;
		return;
	}
	attach->activate = ctx->task && !ctx->nr_counters;
	perf_counter_attach(ctx, attach->counter, attach->leader);
}

/* The part of desc_attach() that may be done. The leader's mutex is held. */
static void attach_counters(struct attach *attach, struct perf_counter_desc *desc,
			    struct perf_counter_ctx *ctx, struct perf_counter_desc *leader)
{
	int cpu;

	mutex_lock_nested(&desc->mutex, SINGLE_DEPTH_NESTING);
	for_each_cpu(cpu, perf_counter_desc_cpus(desc)) {
		attach->ctx = desc->cpus ? per_cpu_ptr(&perf_counter_cpu_ctx, cpu) : ctx;
		attach->counter = perf_counter_opened(desc, cpu);
		attach->leader = leader ? perf_counter_opened(leader, cpu) : attach->counter;
		perf_counter_ctx_call(attach->ctx, attach_fn, attach, desc->load);
		if (!attach->err)
			list_add_tail(&attach->counter->desc_node, &desc->counters);
	}
	mutex_unlock(&desc->mutex);
	if (leader && !attach->err)
		group_join(leader, desc);
}

/*
 * Put the counters that @desc was opened with where they count, @ctx or every
 * CPU's context, of which @ctx is the first, and into the group of @leader,
 * unless NULL.
 */
static int desc_attach(struct perf_counter_desc *desc, struct perf_counter_ctx *ctx,
		       struct perf_counter_desc *leader)
{
	struct attach attach = {};

	mutex_lock(&ctx->mutex);
	if (READ_ONCE(ctx->live_cpu) == CTX_DEAD)
		attach.err = -ESRCH;
	if (leader)
		mutex_lock(&leader->mutex);
	if (leader && !attach.err)
		attach.err = group_check(leader, desc, ctx);
	if (!attach.err)
		attach_counters(&attach, desc, ctx, leader);
	if (leader)
		mutex_unlock(&leader->mutex);
	if (attach.activate)
		perf_counter_ctx_activate(ctx);
	mutex_unlock(&ctx->mutex);
	return attach.err;
}

/* @desc becomes a counter of @task, which the caller may watch. */
static int desc_attach_ctx_of(struct perf_counter_desc *desc, struct task_struct *task,
			      struct perf_counter_desc *leader)
{
	struct perf_counter_ctx *ctx = perf_counter_task_ctx_get(task);
	int err;

	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	err = desc_attach(desc, ctx, leader);
	perf_counter_ctx_put(ctx);
	return err;
}

/* @desc becomes a counter of @task. */
static int desc_attach_task(struct perf_counter_desc *desc, struct task_struct *task,
			    struct perf_counter_desc *leader)
{
	int err;

	/* Everybody may watch himself, and does not exec meanwhile. */
	if (task == current)
		return desc_attach_ctx_of(desc, task, leader);

	/* Until it is attached, an exec must not change who may watch. */
	err = down_read_interruptible(&task->signal->exec_update_lock);
	if (err)
		return err;
	err = -EACCES;
	if (perf_counter_may_watch(task))
		err = desc_attach_ctx_of(desc, task, leader);
	up_read(&task->signal->exec_update_lock);
	if (err || !desc->attr.inherit)
		return err;
	/*
	 * A child that is being forked becomes visible before this, or looks again for what it
	 * inherits. Partner: perf_counter_fork_is_late().
	 */
	read_lock(&tasklist_lock);
	read_unlock(&tasklist_lock);
	return 0;
}

static struct task_struct *find_task(pid_t pid)
{
	struct task_struct *task;

	rcu_read_lock();
	task = pid ? find_task_by_vpid(pid) : current;
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	return task;
}

/* Make the descriptor and its file, and attach it to its context. */
static struct file *open_file(const struct perf_counter_attr *attr, struct task_struct *task,
			      int cpu, struct perf_counter_desc *group, unsigned long flags)
{
	struct perf_counter_desc *leader = group, *desc;
	struct file *file;
	int err;

	if (flags & PERF_COUNTER_FLAG_FD_NO_GROUP)
		leader = NULL;

	desc = desc_alloc(attr, task, cpu);
	if (IS_ERR(desc))
		return ERR_CAST(desc);

	file = anon_inode_getfile("[perf_counter]", &perf_counter_fops, desc, O_RDWR);
	err = PTR_ERR_OR_ZERO(file);
	if (err)
		goto close;
	/* From here on, the release of the file undoes it all. */
	desc->owner = get_task_struct(current);
	INIT_LIST_HEAD(&desc->owner_node);

	err = 0;
	if (group && (flags & PERF_COUNTER_FLAG_FD_OUTPUT))
		err = perf_counter_buffer_redirect(desc, group);
	if (!err && task)
		err = desc_attach_task(desc, task, leader);
	else if (!err)
		err = desc_attach(desc, per_cpu_ptr(&perf_counter_cpu_ctx,
						    desc->cpus ? desc_first_cpu(desc) : cpu),
				  leader);
	if (err) {
		fput(file);
		return ERR_PTR(err);
	}

	mutex_lock(&current->perf_counter_mutex);
	list_add_tail(&desc->owner_node, &current->perf_counter_owned);
	mutex_unlock(&current->perf_counter_mutex);
	return file;

close:
	desc_close(desc);
	perf_counter_desc_put(desc);
	return ERR_PTR(err);
}

/* Open a counter with a checked @attr. Returns a file descriptor or an error. */
static int open_attr(const struct perf_counter_attr *attr, pid_t pid, int cpu, int group_fd,
		     unsigned long flags)
{
	struct perf_counter_desc *group = NULL;
	struct task_struct *task = NULL;
	struct file *file;
	int err, fd;

	err = perf_counter_may_open(attr, pid == -1);
	if (err)
		return err;
	if (cpu != -1 && (cpu < 0 || cpu >= nr_cpu_ids || !cpu_possible(cpu)))
		return -EINVAL;

	CLASS(fd, group_file)(group_fd);
	if (group_fd != -1) {
		if (!fd_file(group_file) || fd_file(group_file)->f_op != &perf_counter_fops)
			return -EBADF;
		group = fd_file(group_file)->private_data;
	}
	if (pid != -1) {
		task = find_task(pid);
		if (!task)
			return -ESRCH;
	}

	fd = get_unused_fd_flags(O_RDWR |
				 (flags & PERF_COUNTER_FLAG_FD_CLOEXEC ? O_CLOEXEC : 0));
	if (fd >= 0) {
		file = open_file(attr, task, cpu, group, flags);
		if (IS_ERR(file)) {
			put_unused_fd(fd);
			fd = PTR_ERR(file);
		} else {
			fd_install(fd, file);
		}
	}
	if (task)
		put_task_struct(task);
	return fd;
}

static long do_open(struct perf_counter_attr __user *uattr, pid_t pid, int cpu, int group_fd,
		    unsigned long flags, bool compat)
{
	struct perf_counter_attr attr;
	int err;

	if (flags & ~(PERF_COUNTER_FLAG_FD_NO_GROUP | PERF_COUNTER_FLAG_FD_OUTPUT |
		      PERF_COUNTER_FLAG_FD_CLOEXEC))
		return -EINVAL;
	err = perf_counter_copy_attr(uattr, &attr);
	if (err)
		return err;
	if (compat)
		perf_counter_drop_machine(&attr);
	return open_attr(&attr, pid, cpu, group_fd, flags);
}

static int __init perf_counter_cache_init(void)
{
	desc_cache = KMEM_CACHE(perf_counter_desc, SLAB_ACCOUNT | SLAB_PANIC);
	return 0;
}
core_initcall(perf_counter_cache_init);

/**
 * sys_perf_counter_open() - open a performance counter
 * @uattr: what to count, and what to record
 * @pid: 0 the caller, > 0 a task, -1 every task
 * @cpu: a CPU, -1 every CPU
 * @group_fd: whose group it joins; -1 for one of its own
 * @flags: PERF_COUNTER_FLAG_*
 *
 * Return: a file descriptor, or an error; see perf_counter_open(2).
 */
SYSCALL_DEFINE5(perf_counter_open, struct perf_counter_attr __user *, uattr, pid_t, pid,
		int, cpu, int, group_fd, unsigned long, flags)
{
	return do_open(uattr, pid, cpu, group_fd, flags, false);
}

/**
 * perf_counter_open_event() - perf_event_open() served here
 * @uattr: as for that call; the structures are the same
 * @pid: likewise
 * @cpu: likewise
 * @group_fd: likewise
 * @flags: likewise
 *
 * Return: a file descriptor, or an error.
 */
long perf_counter_open_event(struct perf_event_attr __user *uattr, pid_t pid, int cpu,
			     int group_fd, unsigned long flags)
{
	return do_open((struct perf_counter_attr __user *)uattr, pid, cpu, group_fd, flags, true);
}
