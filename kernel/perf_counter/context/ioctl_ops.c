// SPDX-License-Identifier: GPL-2.0
/*
 * Operations of ioctl() on all counters of a descriptor: enable, disable, refresh, reset, and set
 * the period.
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
	/* Pairs with the acquire in perf_counter_count(). */
	smp_store_release(&op->counter->base, op->counter->base + value.count);
}

/*
 * Call @fn by perf_counter_ctx_call() for every counter of @desc. Stop early if the current
 * program is being killed. desc->mutex held.
 */
static void desc_each_counter(struct perf_counter_desc *desc, void (*fn)(void *arg), u64 arg,
			      bool atomic)
{
	struct counter_op op = { .arg = arg };

	list_for_each_entry(op.counter, &desc->counters, desc_node) {
		perf_counter_ctx_call(op.counter->ctx, fn, &op, atomic);
		if (perf_counter_walk_ends(desc, op.counter))
			break;
	}
}

/**
 * perf_counter_op_disable() - Disable the counters of a descriptor
 * @desc: the descriptor
 *
 * Context: called by perf_counter_desc_do() or perf_counter_group_do().
 */
void perf_counter_op_disable(struct perf_counter_desc *desc)
{
	desc_each_counter(desc, set_enabled_fn, false, false);
}

/* Disable the counters of @desc, and clear the state that says that its limit was used up. */
static void desc_stop(struct perf_counter_desc *desc)
{
	perf_counter_op_disable(desc);
	atomic_set(&desc->refresh.hangup, NO_HANGUP);
	WRITE_ONCE(desc->refresh.stopped, false);
}

/**
 * perf_counter_op_enable() - Enable the counters of a descriptor
 * @desc: the descriptor; a limit that was used up does not apply any more
 *
 * Context: called by perf_counter_desc_do() or perf_counter_group_do().
 */
void perf_counter_op_enable(struct perf_counter_desc *desc)
{
	/*
	 * If the limit has just been used up, the counter may still be enabled: disable it first.
	 */
	if (atomic_read(&desc->refresh.limit) >= 0) {
		desc_stop(desc);
		/* Remove a limit that is used up. */
		atomic_cmpxchg(&desc->refresh.limit, 0, -1);
	}
	desc_each_counter(desc, set_enabled_fn, true, false);
}

/**
 * perf_counter_op_reset() - Reset the counts of a descriptor to 0, but not its times
 * @desc: the descriptor
 *
 * Context: called by perf_counter_desc_do() or perf_counter_group_do().
 */
void perf_counter_op_reset(struct perf_counter_desc *desc)
{
	atomic64_set(&desc->exited.count, 0);
	desc_each_counter(desc, reset_fn, 0, false);
}

/**
 * perf_counter_desc_do() - Apply an operation to a descriptor
 * @desc: the descriptor
 * @op: operation, a perf_counter_op_* function
 *
 * Context: may sleep.
 */
void perf_counter_desc_do(struct perf_counter_desc *desc,
			  void (*op)(struct perf_counter_desc *desc))
{
	mutex_lock(&desc->mutex);
	op(desc);
	mutex_unlock(&desc->mutex);
	perf_counter_user_page_update(desc);
}

/**
 * perf_counter_group_do() - Apply an operation to all descriptors of a group
 * @desc: leader or member of the group
 * @op: operation, a perf_counter_op_* function
 *
 * Context: may sleep.
 */
void perf_counter_group_do(struct perf_counter_desc *desc,
			   void (*op)(struct perf_counter_desc *desc))
{
	struct perf_counter_desc *leader = perf_counter_group_lock(desc);
	struct perf_counter_desc *member;

	op(leader);
	perf_counter_user_page_update(leader);
	list_for_each_entry(member, &leader->group.members, group.node) {
		mutex_lock_nested(&member->mutex, SINGLE_DEPTH_NESTING);
		op(member);
		perf_counter_user_page_update(member);
		mutex_unlock(&member->mutex);
		if (perf_counter_walk_is_over(leader))
			break;
	}
	perf_counter_group_unlock(leader);
}

/**
 * perf_counter_desc_refresh() - Enable a descriptor for a number of further overflows
 * @desc: the descriptor
 * @nr: number of overflows; 0: no limit
 *
 * Context: may sleep.
 * Return: 0; -EINVAL when the descriptor does not sample or is inherited, or @nr is too large.
 */
int perf_counter_desc_refresh(struct perf_counter_desc *desc, unsigned long nr)
{
	int limit;

	if (desc->attr.inherit || !desc->attr.sample_period || nr > INT_MAX)
		return -EINVAL;

	mutex_lock(&desc->mutex);
	limit = max(atomic_read(&desc->refresh.limit), 0);
	if (nr > INT_MAX - limit) {
		mutex_unlock(&desc->mutex);
		return -EINVAL;
	}
	/*
	 * Disable the counters first, so that the new limit is not used up before they are enabled
	 * below. An event in progress may still decrement the limit, but only if it is above 0.
	 */
	desc_stop(desc);
	if (!nr)
		atomic_set(&desc->refresh.limit, -1);
	else if (atomic_cmpxchg(&desc->refresh.limit, -1, nr) != -1)
		atomic_add(nr, &desc->refresh.limit);
	desc_each_counter(desc, set_enabled_fn, true, false);
	/*
	 * If an event in progress has used the limit up, its irq_work may have run before the
	 * counters were enabled: queue it again.
	 */
	if (atomic_read(&desc->refresh.hangup) != NO_HANGUP)
		irq_work_queue(&desc->work);
	mutex_unlock(&desc->mutex);
	perf_counter_user_page_update(desc);
	return 0;
}

/**
 * perf_counter_desc_set_period() - Change the period or the frequency of a descriptor
 * @desc: the descriptor
 * @value: events per sample; Hz for a descriptor with a frequency
 *
 * Context: may sleep.
 * Return: 0; -EINVAL when the descriptor does not sample, or @value is out of range.
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
	/*
	 * Events decrement the rest of the period without a lock, so change the period on the CPU
	 * where the counter counts.
	 */
	desc_each_counter(desc, set_period_fn, perf_counter_first_period(desc), true);
	mutex_unlock(&desc->mutex);
	return 0;
}
