// SPDX-License-Identifier: GPL-2.0
/*
 * Counters in their context: how they join it, how they are enabled and disabled, and how they
 * leave it.
 *
 * Every change is made with ctx->lock held. When the context runs on another CPU and has
 * counters that are loaded, the change is made there, by IPI; see perf_counter_ctx_call().
 */

#include "internal.h"

/*
 * Update group_enabled of @counter, which is set if the counter and its leader are enabled, and
 * unload a counter that becomes disabled. Returns true if the counter becomes enabled, so that the
 * caller has to load it.
 */
static bool counter_sync_enabled(struct perf_counter *counter, u64 now)
{
	struct perf_counter *leader = counter->group.leader;
	bool enabled = counter->enabled && leader->enabled;

	perf_counter_ctx_assert_this_cpu(counter->ctx);
	if (enabled == counter->group_enabled)
		return false;
	if (enabled) {
		perf_counter_state_on(counter, now);
		return counter->needs_load;
	}
	if (counter->needs_load)
		perf_counter_unload(counter, now);
	perf_counter_state_off(counter, now);
	return false;
}

/* Call counter_sync_enabled() for @counter and, if it leads a group, for its members. */
static bool group_sync_enabled(struct perf_counter *counter, u64 now)
{
	bool load = counter_sync_enabled(counter, now);
	struct perf_counter *member;

	list_for_each_entry(member, &counter->group.members, group.node)
		load |= counter_sync_enabled(member, now);
	return load;
}

/* Call counter_sync_enabled() for @counter, not for its members, and load it if needed. */
static void counter_update(struct perf_counter *counter, u64 now)
{
	if (counter_sync_enabled(counter, now) && counter->ctx->live_cpu >= 0)
		perf_counter_load_enabled(counter, now);
}

static noinline struct perf_counter_pmu_cpu *group_begin(struct perf_counter *leader)
{
	const struct perf_counter_pmu *pmu = leader->pmu_ctx->pmu;
	struct perf_counter_pmu_cpu *pmu_cpu;

	if (!pmu || leader->ctx->live_cpu < 0)
		return NULL;
	pmu_cpu = this_cpu_ptr(pmu->cpu);
	if (!pmu_cpu->present)
		return NULL;
	perf_counter_pmu_begin(pmu_cpu);
	return pmu_cpu;
}

/*
 * Call perf_counter_pmu_begin() for the PMU of @counter's group, if the PMU has limited room and
 * the context runs. Returns the PMU's state for perf_counter_pmu_end(), or NULL.
 */
static __always_inline struct perf_counter_pmu_cpu *counter_begin(struct perf_counter *counter)
{
	return counter->group.leader->pmu_ctx ? group_begin(counter->group.leader) : NULL;
}

/**
 * perf_counter_set_enabled() - Enable or disable a counter
 * @counter: the counter; members of a leader follow it
 * @enabled: true: enable; false: disable
 *
 * A group is loaded once, after all of its counters are enabled, so that the work is linear in the
 * number of counters.
 *
 * Context: ctx->lock held, on the CPU where perf_counter_ctx_call() calls.
 */
void perf_counter_set_enabled(struct perf_counter *counter, bool enabled)
{
	struct perf_counter_ctx *ctx = counter->ctx;
	u64 now = perf_counter_ctx_time(ctx);
	struct perf_counter_pmu_cpu *pmu_cpu = counter_begin(counter);

	counter->failed &= !enabled;
	WRITE_ONCE(counter->enabled, enabled);
	if (group_sync_enabled(counter, now) && ctx->live_cpu >= 0)
		perf_counter_load_enabled(counter, now);
	if (pmu_cpu)
		perf_counter_pmu_end(pmu_cpu);
}

/**
 * perf_counter_enable_unloaded() - Enable a counter without loading it
 * @counter: the counter; members of a leader follow it
 * @now: context time, ns
 *
 * The caller enables any number of counters of a context, and then loads them all by one call of
 * perf_counter_ctx_reload() with the same @now.
 *
 * Context: ctx->lock held, on the CPU where perf_counter_ctx_call() calls.
 * Return: true when a counter has to be loaded.
 */
bool perf_counter_enable_unloaded(struct perf_counter *counter, u64 now)
{
	counter->failed = false;
	WRITE_ONCE(counter->enabled, true);
	return group_sync_enabled(counter, now);
}

/**
 * perf_counter_set_period() - Change the period of a counter
 * @counter: a sampling counter
 * @period: events per sample, or ns for a clock; also the distance to the next sample
 *
 * Context: ctx->lock held, on the CPU where perf_counter_ctx_call() calls.
 */
void perf_counter_set_period(struct perf_counter *counter, u64 period)
{
	struct perf_counter_ctx *ctx = counter->ctx;
	u64 now = perf_counter_ctx_time(ctx);
	bool was_loaded = counter->loaded;
	struct perf_counter_pmu_cpu *pmu_cpu = counter_begin(counter);

	perf_counter_unload(counter, now);
	WRITE_ONCE(counter->sampling.period, period);
	local64_set(&counter->sampling.period_left, period);
	if (was_loaded)
		perf_counter_reload(counter, now);
	if (pmu_cpu)
		perf_counter_pmu_end(pmu_cpu);
}

/**
 * perf_counter_init_counter() - Prepare a counter of a descriptor
 * @counter: a zeroed counter
 * @desc: the descriptor
 * @stream_id: unique number
 */
void perf_counter_init_counter(struct perf_counter *counter, struct perf_counter_desc *desc,
			       u64 stream_id)
{
	counter->desc = desc;
	counter->stream_id = stream_id;
	counter->group.leader = counter;
	if (unlikely(desc->records.branches))
		counter->flags = COUNTER_BRANCHES;
	INIT_LIST_HEAD(&counter->group.members);
	if (desc->pmu->counter_init)
		desc->pmu->counter_init(counter);
}

/* === Which groups are loaded with their context === */

/*
 * Return the number of counters of @leader's group that are loaded and unloaded with their
 * context.
 */
static unsigned int group_count(struct perf_counter *leader)
{
	unsigned int nr = leader->needs_load;
	struct perf_counter *member;

	list_for_each_entry(member, &leader->group.members, group.node)
		nr += member->needs_load;
	return nr;
}

/*
 * List the group of @leader among the groups of @pmu (NULL: groups that always have room), so
 * that it is loaded with its context.
 */
static void group_list(struct perf_counter *leader, const struct perf_counter_pmu *pmu)
{
	struct perf_counter_pmu_ctx *pmu_ctx = perf_counter_pmu_ctx(leader->ctx, pmu);
	unsigned int nr = group_count(leader);

	if (leader->pmu_ctx) {
		leader->pmu_ctx->nr -= nr;
		list_del(&leader->load_node);
	}
	leader->pmu_ctx = pmu_ctx;
	pmu_ctx->nr += nr;
	/* A group that always has room need not be pinned. */
	list_add_tail(&leader->load_node,
		      pmu && leader->desc->attr.pinned ? &pmu_ctx->pinned : &pmu_ctx->flexible);
}

/* List @member as a group of its own, because its leader leaves the context. */
static void member_list(struct perf_counter *member, struct perf_counter_pmu_ctx *pmu_ctx)
{
	member->pmu_ctx = pmu_ctx;
	/* Members are never pinned. */
	list_add_tail(&member->load_node, &pmu_ctx->flexible);
}

/*
 * Remove @counter from the lists of its PMU. The counter must be unloaded and have no members, and
 * must still be in its group.
 */
static void counter_unlist(struct perf_counter *counter)
{
	struct perf_counter_pmu_ctx *pmu_ctx = counter->group.leader->pmu_ctx;

	if (counter->flags & COUNTER_USER_READ)
		perf_counter_set_user(counter, false);
	if (counter->needs_load) {
		counter->ctx->nr_needs_load--;
		WRITE_ONCE(pmu_ctx->nr, pmu_ctx->nr - 1);
	}
	if (counter->pmu_ctx)
		list_del(&counter->load_node);
	counter->pmu_ctx = NULL;
}

/*
 * Load the software counter @counter only together with its group from now on: the group has got a
 * counter of a PMU with limited room, and @counter counts only while the group has room.
 */
static void counter_require_load(struct perf_counter *counter, u64 now)
{
	/* So far, the running time was equal to the enabled time. */
	counter->times.running = perf_counter_time_running(counter, now);
	counter->times.run_stamp = now;
	WRITE_ONCE(counter->loaded, counter->group_enabled && counter->ctx->live_cpu >= 0);
	counter->needs_load = true;
	counter->ctx->nr_needs_load++;
	counter->group.leader->pmu_ctx->nr++;
	/*
	 * Order @loaded before the filter. Pairs with the control dependency in
	 * perf_counter_filtered().
	 */
	smp_wmb();
	WRITE_ONCE(counter->filter, counter->filter | FILTER_UNLOADED);
}

/* Prepare @counter, which has joined its context and group, to be loaded with them. */
static void counter_join_load(struct perf_counter *counter, u64 now)
{
	const struct perf_counter_pmu *pmu = perf_counter_scheduled_pmu(counter->desc->pmu);
	struct perf_counter *leader = counter->group.leader, *member;
	struct perf_counter_ctx *ctx = counter->ctx;

	if (!leader->pmu_ctx || (pmu && leader->pmu_ctx->pmu != pmu))
		group_list(leader, pmu);
	if (counter->desc->needs_load) {
		counter->needs_load = true;
		ctx->nr_needs_load++;
		leader->pmu_ctx->nr++;
		/*
		 * Do not count while the branch recorder is in the mode that does not serve the
		 * counter: the counter is unloaded then.
		 */
		if (unlikely(counter->flags & COUNTER_BRANCHES))
			counter->filter |= FILTER_UNLOADED;
	}
	if (!leader->pmu_ctx->pmu)
		return;
	/* From now on, counters that always have room count only while the group is loaded. */
	if (!leader->needs_load)
		counter_require_load(leader, now);
	list_for_each_entry(member, &leader->group.members, group.node) {
		if (!member->needs_load)
			counter_require_load(member, now);
	}
}

/* Add @counter to the list of its event in @hash. ctx->lock held. */
static void counter_hash(struct perf_counter *counter, struct perf_counter_event_hash *hash)
{
	const struct perf_counter_desc *desc = counter->desc;

	hlist_add_head_rcu(&counter->event_node, perf_counter_hashed(hash, desc->event_id));
	WRITE_ONCE(hash->nr_args, hash->nr_args + !!desc->attr.config1);
}

/* Remove @counter from the list of its event, in @hash or of a software event. ctx->lock held. */
static void counter_unhash(struct perf_counter *counter, struct perf_counter_event_hash *hash)
{
	hlist_del_rcu(&counter->event_node);
	if (counter->desc->event_id)
		WRITE_ONCE(hash->nr_args, hash->nr_args - !!counter->desc->attr.config1);
}

/**
 * perf_counter_attach() - Add a counter to a context
 * @ctx: a context for which perf_counter_ctx_prepare() was called
 * @counter: the counter, with its state
 * @leader: leader of the group in this context; @counter if it leads
 *
 * Context: ctx->lock held, on the CPU where perf_counter_ctx_call() calls.
 */
void perf_counter_attach(struct perf_counter_ctx *ctx, struct perf_counter *counter,
			 struct perf_counter *leader)
{
	struct perf_counter_desc *desc = counter->desc;
	u64 now = perf_counter_ctx_time(ctx);

	counter->group.leader = leader;
	if (leader != counter) {
		list_add_tail_rcu(&counter->group.node, &leader->group.members);
		leader->group.nr_members++;
	}
	WRITE_ONCE(counter->ctx, ctx);
	counter->exec_gen = ctx->exec_gen;
	list_add_tail(&counter->ctx_node, &ctx->counters);
	WRITE_ONCE(ctx->nr_counters, ctx->nr_counters + 1);
	if (ctx->live_cpu == CTX_EMPTY)
		WRITE_ONCE(ctx->live_cpu, CTX_STOPPED);
	WRITE_ONCE(ctx->nr_inherit, ctx->nr_inherit + desc->attr.inherit);
	if (desc->event >= 0)
		hlist_add_head_rcu(&counter->event_node, &ctx->sw[desc->event]);
	else if (desc->event_id)
		counter_hash(counter, ctx->hash);
	if (desc->records.plan.sideband)
		list_add_tail_rcu(&counter->sideband_node, &ctx->sideband);
	if (desc->needs_load || leader->pmu_ctx)
		counter_join_load(counter, now);
	counter_update(counter, now);
}

/**
 * perf_counter_detach() - Remove a counter from its context
 * @counter: the counter; its members become leaders
 *
 * Events may still use the counter for an RCU grace period.
 *
 * Context: ctx->lock held, on the CPU where perf_counter_ctx_call() calls.
 */
void perf_counter_detach(struct perf_counter *counter)
{
	struct perf_counter_ctx *ctx = counter->ctx;
	u64 now = perf_counter_ctx_time(ctx);
	struct perf_counter *member, *next;
	struct perf_counter_pmu_cpu *pmu_cpu = counter_begin(counter);

	WRITE_ONCE(counter->enabled, false);
	counter_update(counter, now);
	list_for_each_entry_safe(member, next, &counter->group.members, group.node) {
		list_del_rcu(&member->group.node);
		WRITE_ONCE(member->group.leader, member);
		if (member->needs_load)
			member_list(member, counter->pmu_ctx);
		counter_update(member, now);
	}
	counter->group.nr_members = 0;
	if (counter->group.leader != counter) {
		list_del_rcu(&counter->group.node);
		counter->group.leader->group.nr_members--;
	}

	if (!hlist_unhashed(&counter->event_node))
		counter_unhash(counter, ctx->hash);
	if (counter->desc->records.plan.sideband)
		list_del_rcu(&counter->sideband_node);
	if (counter->group.leader->pmu_ctx)
		counter_unlist(counter);
	list_del(&counter->ctx_node);
	WRITE_ONCE(counter->ctx, NULL);
	if (pmu_cpu)
		perf_counter_pmu_end(pmu_cpu);

	WRITE_ONCE(ctx->nr_inherit, ctx->nr_inherit - counter->desc->attr.inherit);
	/*
	 * Order the changes of the PMUs' lists before the count: an exiting task that sees no
	 * counter frees the lists. Pairs with the acquire in ctx_end_counters().
	 */
	smp_store_release(&ctx->nr_counters, ctx->nr_counters - 1);
	if (ctx->nr_counters || !ctx->task || ctx->live_cpu == CTX_DEAD)
		return;
	if (ctx->live_cpu >= 0)
		perf_counter_ctx_stop_at(ctx, now);
	WRITE_ONCE(ctx->live_cpu, CTX_EMPTY);
}
