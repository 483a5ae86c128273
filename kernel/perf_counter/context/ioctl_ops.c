// SPDX-License-Identifier: GPL-2.0
/*
 * What can be done to a descriptor: it is enabled and disabled, for good or for so many
 * overflows, begins at 0 again, gets another period. All of its counters are.
 */

#include <linux/irq_work.h>

#include "internal.h"

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

/*
 * Do @fn to every counter of @desc, as ctx_call() does; its mutex is held. For a program that is
 * being killed, not to all.
 */
static void desc_each_counter(struct perf_counter_desc *desc, void (*fn)(void *arg), u64 arg,
			      bool atomic)
{
	struct counter_op op = { .arg = arg };

	list_for_each_entry(op.counter, &desc->counters, desc_node) {
		perf_counter_ctx_call(op.counter->ctx, fn, &op, atomic);
		if (perf_counter_walk_is_over(desc))
			break;
	}
}

/**
 * perf_counter_op_disable() - no counter of a descriptor counts
 * @desc: the descriptor
 *
 * Context: by perf_counter_desc_do() or perf_counter_group_do(), as all of these.
 */
void perf_counter_op_disable(struct perf_counter_desc *desc)
{
	desc_each_counter(desc, set_enabled_fn, false, false);
}

/* Off, and what was said of the limit before is forgotten. */
static void desc_stop(struct perf_counter_desc *desc)
{
	perf_counter_op_disable(desc);
	atomic_set(&desc->hangup, NO_HANGUP);
	WRITE_ONCE(desc->stopped, false);
}

/**
 * perf_counter_op_enable() - they count; no limit is used up from before
 * @desc: the descriptor
 */
void perf_counter_op_enable(struct perf_counter_desc *desc)
{
	/* With a limit it may just have stopped, and only seem to be enabled. */
	if (atomic_read(&desc->limit) >= 0) {
		desc_stop(desc);
		/* A limit that is used up is over. */
		atomic_cmpxchg(&desc->limit, 0, -1);
	}
	desc_each_counter(desc, set_enabled_fn, true, false);
}

/**
 * perf_counter_op_reset() - counts begin at 0 again; times go on
 * @desc: the descriptor
 */
void perf_counter_op_reset(struct perf_counter_desc *desc)
{
	atomic64_set(&desc->gone_count, 0);
	desc_each_counter(desc, reset_fn, 0, false);
}

/**
 * perf_counter_desc_do() - do something to a descriptor
 * @desc: the descriptor
 * @op: what: perf_counter_op_*
 *
 * Context: may sleep.
 */
void perf_counter_desc_do(struct perf_counter_desc *desc,
			  void (*op)(struct perf_counter_desc *desc))
{
	mutex_lock(&desc->mutex);
	op(desc);
	mutex_unlock(&desc->mutex);
	perf_counter_update_control(desc);
}

/**
 * perf_counter_group_do() - do something to a descriptor's whole group
 * @desc: the descriptor
 * @op: what: perf_counter_op_*
 *
 * Context: may sleep.
 */
void perf_counter_group_do(struct perf_counter_desc *desc,
			   void (*op)(struct perf_counter_desc *desc))
{
	struct perf_counter_desc *leader = perf_counter_group_lock(desc);
	struct perf_counter_desc *member;

	op(leader);
	perf_counter_update_control(leader);
	list_for_each_entry(member, &leader->members, member_node) {
		mutex_lock_nested(&member->mutex, SINGLE_DEPTH_NESTING);
		op(member);
		perf_counter_update_control(member);
		mutex_unlock(&member->mutex);
		if (perf_counter_walk_is_over(leader))
			break;
	}
	perf_counter_group_unlock(leader);
}

/**
 * perf_counter_desc_refresh() - enable a descriptor for so many more overflows
 * @desc: the descriptor
 * @nr: how many; 0: as many as there will be
 *
 * Context: may sleep.
 * Return: 0; -EINVAL when it does not sample, is inherited, or the number is too large.
 */
int perf_counter_desc_refresh(struct perf_counter_desc *desc, unsigned long nr)
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

/**
 * perf_counter_desc_set_period() - another period, or frequency
 * @desc: the descriptor
 * @value: events per sample, or Hz
 *
 * Context: may sleep.
 * Return: 0; -EINVAL when it does not sample, or not so.
 */
int perf_counter_desc_set_period(struct perf_counter_desc *desc, u64 value)
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
	desc_each_counter(desc, set_period_fn, perf_counter_first_period(desc), true);
	mutex_unlock(&desc->mutex);
	return 0;
}
