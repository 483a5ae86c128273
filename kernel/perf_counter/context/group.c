// SPDX-License-Identifier: GPL-2.0
/*
 * Groups of descriptors, which read() and ioctls of a group use. In each context the group also
 * exists as a group of counters, which are loaded together: see counter.c.
 */

#include "../record/read_format.h"
#include "internal.h"

/**
 * perf_counter_group_lock() - Lock the group of a descriptor
 * @desc: the descriptor, which may be the leader itself
 *
 * The group does not change while its leader's mutex is held.
 *
 * Context: may sleep.
 * Return: the leader, with a reference, for perf_counter_group_unlock().
 */
struct perf_counter_desc *perf_counter_group_lock(struct perf_counter_desc *desc)
{
	struct perf_counter_desc *leader;

	for (;;) {
		rcu_read_lock();
		leader = rcu_dereference(desc->group.leader);
		if (!refcount_inc_not_zero(&leader->refs))
			leader = NULL;
		rcu_read_unlock();
		if (!leader)
			continue;

		mutex_lock(&leader->mutex);
		if (rcu_access_pointer(desc->group.leader) == leader)
			return leader;
		/* The leader was closed meanwhile, and its members became leaders. */
		mutex_unlock(&leader->mutex);
		perf_counter_desc_put(leader);
	}
}

/**
 * perf_counter_group_unlock() - Unlock a group
 * @leader: result of perf_counter_group_lock()
 */
void perf_counter_group_unlock(struct perf_counter_desc *leader)
{
	mutex_unlock(&leader->mutex);
	perf_counter_desc_put(leader);
}

/**
 * perf_counter_group_join() - Make a descriptor a member of a group
 * @leader: leader of the group
 * @desc: a descriptor without members that is in no group
 *
 * Context: leader->mutex held.
 */
void perf_counter_group_join(struct perf_counter_desc *leader, struct perf_counter_desc *desc)
{
	lockdep_assert_held(&leader->mutex);
	rcu_assign_pointer(desc->group.leader, leader);
	list_add_tail(&desc->group.node, &leader->group.members);
	desc->group.slot = ++leader->group.nr_members;
}

/**
 * perf_counter_group_leave() - Remove a descriptor from its group
 * @desc: the descriptor; when it leads, all its members leave the group
 *
 * Context: may sleep.
 */
void perf_counter_group_leave(struct perf_counter_desc *desc)
{
	struct perf_counter_desc *leader, *member, *next;
	unsigned int slot = 0;

	leader = perf_counter_group_lock(desc);
	if (leader == desc) {
		list_for_each_entry_safe(member, next, &desc->group.members, group.node) {
			list_del(&member->group.node);
			member->group.slot = 0;
			rcu_assign_pointer(member->group.leader, member);
		}
		desc->group.nr_members = 0;
	} else {
		list_del(&desc->group.node);
		leader->group.nr_members--;
		list_for_each_entry(member, &leader->group.members, group.node)
			member->group.slot = ++slot;
		rcu_assign_pointer(desc->group.leader, desc);
	}
	perf_counter_group_unlock(leader);
}

/*
 * Return true if @desc must not join @leader because the group is read as one, and an exec would
 * remove only some of its counters: the values would not belong together.
 */
static bool group_would_part(struct perf_counter_desc *leader, struct perf_counter_desc *desc)
{
	bool leaves = leader->attr.remove_on_exec, parts = desc->attr.remove_on_exec != leaves;
	u64 formats = leader->attr.read_format | desc->attr.read_format;
	struct perf_counter_desc *member;

	list_for_each_entry(member, &leader->group.members, group.node) {
		parts |= member->attr.remove_on_exec != leaves;
		formats |= member->attr.read_format;
	}
	return parts && (formats & PERF_FORMAT_GROUP);
}

/*
 * Return true if at least one counter of @leader is in a context. If @leader counts all CPUs, some
 * of the CPUs may not have its PMU.
 */
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
 * perf_counter_group_in_other_ctx() - Check whether a group counts in another context
 * @leader: leader of the group, which another task may be closing
 * @ctx: context where a new member would count; for a whole machine, the context of the first
 *	CPU
 *
 * Context: any.
 * Return: true when the group counts in another context, and so can never count in @ctx.
 */
bool perf_counter_group_in_other_ctx(struct perf_counter_desc *leader,
				     const struct perf_counter_ctx *ctx)
{
	struct perf_counter_ctx *leader_ctx;

	/* A leader of the whole machine need not have a counter on the first CPU. */
	if (leader->cpus)
		return ctx->task || ctx->cgroup != leader->cgroup;
	leader_ctx = READ_ONCE(leader->first.ctx);
	return leader_ctx && leader_ctx != ctx;
}

/* Return true if counters of both PMUs together need the registers of at most one PMU. */
static bool on_one_pmu(const struct perf_counter_pmu *one, const struct perf_counter_pmu *other)
{
	return one == other || !perf_counter_scheduled_pmu(one) ||
	       !perf_counter_scheduled_pmu(other);
}

/**
 * perf_counter_group_check() - Check whether a descriptor may join a group
 * @leader: leader of the group
 * @desc: the descriptor
 * @ctx: context where @desc is to count
 *
 * Context: leader->mutex held.
 * Return: 0; -ENODEV when the leader has no counter any more; -EINVAL when the two cannot be in
 * one group, or the PMU could never load the group; -E2BIG when the group would be too large to
 * read.
 */
int perf_counter_group_check(struct perf_counter_desc *leader, struct perf_counter_desc *desc,
			     struct perf_counter_ctx *ctx)
{
	unsigned int nr = leader->group.nr_members + 1, size;
	struct perf_counter_desc *member;
	bool alike;

	lockdep_assert_held(&leader->mutex);
	if (leader->closed || !group_counts(leader))
		return -ENODEV;
	/*
	 * All counters of a group have the same leader, context, CPU and clock; only the leader
	 * may be pinned.
	 */
	if (rcu_access_pointer(leader->group.leader) != leader)
		return -EINVAL;
	if (perf_counter_group_in_other_ctx(leader, ctx) || leader->cpu != desc->cpu ||
	    leader->records.clock != desc->records.clock)
		return -EINVAL;
	/* Ignore the bit inherit for a CPU: counters of a CPU are not inherited. */
	if (desc->task && leader->attr.inherit != desc->attr.inherit)
		return -EINVAL;
	if (desc->attr.pinned || desc->attr.exclusive || group_would_part(leader, desc))
		return -EINVAL;

	size = max(perf_counter_read_size(leader, nr), perf_counter_read_size(desc, nr));
	alike = on_one_pmu(leader->pmu, desc->pmu);
	list_for_each_entry(member, &leader->group.members, group.node) {
		size = max(size, perf_counter_read_size(member, nr));
		alike &= on_one_pmu(member->pmu, desc->pmu);
	}
	/* A group is loaded as a whole, so its counters need the registers of one PMU at most. */
	if (!alike)
		return -EINVAL;
	/* The values of the group must fit into a record. */
	if (size > PERF_COUNTER_READ_SIZE_MAX)
		return -E2BIG;
	return desc->pmu->validate_group && !desc->pmu->validate_group(leader, desc) ? -EINVAL : 0;
}
