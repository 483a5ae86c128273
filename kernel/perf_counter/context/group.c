// SPDX-License-Identifier: GPL-2.0
/*
 * Groups of descriptors: what read() and ioctls of a group follow. In each context the
 * same group exists as counters, which count together: see counter.c.
 */

#include "../record/read_format.h"
#include "internal.h"

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

/**
 * perf_counter_group_join() - a descriptor becomes a member of a group
 * @leader: of the group
 * @desc: alone so far
 *
 * Context: leader->mutex held.
 */
void perf_counter_group_join(struct perf_counter_desc *leader, struct perf_counter_desc *desc)
{
	lockdep_assert_held(&leader->mutex);
	rcu_assign_pointer(desc->leader, leader);
	list_add_tail(&desc->member_node, &leader->members);
	desc->slot = ++leader->nr_members;
}

/**
 * perf_counter_group_leave() - take a descriptor out of its group
 * @desc: the descriptor; when it leads, the others are taken out of the group
 *
 * Context: may sleep.
 */
void perf_counter_group_leave(struct perf_counter_desc *desc)
{
	struct perf_counter_desc *leader, *member, *next;
	unsigned int slot = 0;

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

/* Does @leader count anywhere? Of a whole machine, its event may not be known to each CPU. */
static bool group_counts(struct perf_counter_desc *leader)
{
	int cpu;

	for_each_cpu(cpu, perf_counter_desc_cpus(leader)) {
		if (READ_ONCE(perf_counter_opened(leader, cpu)->ctx))
			return true;
	}
	return false;
}

/**
 * perf_counter_group_is_elsewhere() - Say whether a group counts in other contexts
 * @leader: leader of the group, which may end meanwhile
 * @ctx: the context where a descriptor is to count; of a whole machine, that of the first CPU
 *
 * Context: any.
 * Return: true if so; then it never counts in this one.
 */
bool perf_counter_group_is_elsewhere(struct perf_counter_desc *leader,
				     const struct perf_counter_ctx *ctx)
{
	struct perf_counter_ctx *leader_ctx;

	/* There need not be a counter on the first CPU. No task's context is one of these. */
	if (leader->cpus)
		return ctx->task;
	leader_ctx = READ_ONCE(leader->first.ctx);
	return leader_ctx && leader_ctx != ctx;
}

/* Do counters of two PMUs need the room of one at most? */
static bool on_one_pmu(const struct perf_counter_pmu *one, const struct perf_counter_pmu *other)
{
	return one == other || !perf_counter_limited(one) || !perf_counter_limited(other);
}

/**
 * perf_counter_group_check() - may a descriptor join a group?
 * @leader: of the group
 * @desc: the descriptor
 * @ctx: where it is to count
 *
 * Context: leader->mutex held.
 * Return: 0; -ENODEV when the leader counts no more; -EINVAL for what may not be in
 * one group, or never has room for it; -E2BIG when the group would be too large to be read.
 */
int perf_counter_group_check(struct perf_counter_desc *leader, struct perf_counter_desc *desc,
			     struct perf_counter_ctx *ctx)
{
	unsigned int nr = leader->nr_members + 1, size;
	struct perf_counter_desc *member;
	bool alike;

	lockdep_assert_held(&leader->mutex);
	if (leader->closed || !group_counts(leader))
		return -ENODEV;
	/* One level; one context, CPU and clock; its leader speaks for it. */
	if (rcu_access_pointer(leader->leader) != leader)
		return -EINVAL;
	if (perf_counter_group_is_elsewhere(leader, ctx) || leader->cpu != desc->cpu ||
	    leader->clock != desc->clock)
		return -EINVAL;
	/* Of a CPU nobody inherits. */
	if (desc->task && leader->attr.inherit != desc->attr.inherit)
		return -EINVAL;
	if (desc->attr.pinned || desc->attr.exclusive || group_would_part(leader, desc))
		return -EINVAL;

	size = max(perf_counter_read_size(leader, nr), perf_counter_read_size(desc, nr));
	alike = on_one_pmu(leader->pmu, desc->pmu);
	list_for_each_entry(member, &leader->members, member_node) {
		size = max(size, perf_counter_read_size(member, nr));
		alike &= on_one_pmu(member->pmu, desc->pmu);
	}
	/* A group has all the room that it needs, or none: so it needs that of one PMU. */
	if (!alike)
		return -EINVAL;
	/* Everybody's record of the group has to stay a record. */
	if (size > PERF_COUNTER_READ_SIZE_MAX)
		return -E2BIG;
	return desc->pmu->fits && !desc->pmu->fits(leader, desc) ? -EINVAL : 0;
}
