// SPDX-License-Identifier: GPL-2.0
/*
 * Counters in their context: how they join it, what is done to them there, and how
 * they leave.
 *
 * Whoever changes a counter holds ctx->lock. When the context has counters that are
 * loaded and is running on another CPU, the change is made there, by IPI; see
 * perf_counter_ctx_call().
 */

#include "internal.h"

/*
 * Switch @counter on or off as its own state and its leader's say, and stop it if it is off.
 * Returns true if it is on from now on and waits to be loaded; the caller loads it.
 */
static bool counter_switch(struct perf_counter *counter, u64 now)
{
	struct perf_counter *leader = counter->leader;
	bool enabled = counter->enabled && leader->enabled;

	perf_counter_ctx_assert_here(counter->ctx);
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

/* The same of @counter and, if it leads a group, of the members. */
static bool group_switch(struct perf_counter *counter, u64 now)
{
	bool load = counter_switch(counter, now);
	struct perf_counter *member;

	list_for_each_entry(member, &counter->members, member_node)
		load |= counter_switch(member, now);
	return load;
}

/* Switch @counter alone on or off, and load it if it waits for that. */
static void counter_update(struct perf_counter *counter, u64 now)
{
	if (counter_switch(counter, now) && counter->ctx->live_cpu >= 0)
		perf_counter_load_enabled(counter, now);
}

static noinline struct perf_counter_pmu_cpu *group_begin(struct perf_counter *leader)
{
	const struct perf_counter_pmu *pmu = leader->pmu_ctx->pmu;
	struct perf_counter_pmu_cpu *cpu;

	if (!pmu || leader->ctx->live_cpu < 0)
		return NULL;
	cpu = this_cpu_ptr(pmu->cpu);
	if (!cpu->here)
		return NULL;
	perf_counter_pmu_begin(cpu);
	return cpu;
}

/*
 * If the group of @counter is on a PMU with limited room, which its context uses now, what
 * that counts is about to change. Returns the PMU for perf_counter_pmu_end(), or NULL.
 */
static __always_inline struct perf_counter_pmu_cpu *counter_begin(struct perf_counter *counter)
{
	return counter->leader->pmu_ctx ? group_begin(counter->leader) : NULL;
}

/**
 * perf_counter_set_enabled() - Switch a counter on or off
 * @counter: the counter; when it leads a group, the group goes with it
 * @enabled: on or off
 *
 * A group is loaded once, after all of its counters are on: the work grows with their number,
 * not with its square.
 *
 * Context: ctx->lock held; where ctx_call() calls.
 */
void perf_counter_set_enabled(struct perf_counter *counter, bool enabled)
{
	struct perf_counter_ctx *ctx = counter->ctx;
	u64 now = perf_counter_ctx_time(ctx);
	struct perf_counter_pmu_cpu *cpu = counter_begin(counter);

	counter->failed &= !enabled;
	WRITE_ONCE(counter->enabled, enabled);
	if (group_switch(counter, now) && ctx->live_cpu >= 0)
		perf_counter_load_enabled(counter, now);
	if (cpu)
		perf_counter_pmu_end(cpu);
}

/**
 * perf_counter_enable_unloaded() - Switch a counter on, and leave it to the caller to load it
 * @counter: the counter; when it leads a group, the group goes with it
 * @now: context time
 *
 * The caller switches on as many counters of a context as it likes, and then loads them all
 * by one call of perf_counter_ctx_reload(), at the same time.
 *
 * Context: ctx->lock held; where ctx_call() calls.
 * Return: true when a counter waits to be loaded.
 */
bool perf_counter_enable_unloaded(struct perf_counter *counter, u64 now)
{
	counter->failed = false;
	WRITE_ONCE(counter->enabled, true);
	return group_switch(counter, now);
}

/**
 * perf_counter_set_period() - change the events per sample
 * @counter: a sampling counter
 * @period: events, or ns of a clock; the next sample is that far away
 *
 * Context: ctx->lock held; where ctx_call() calls.
 */
void perf_counter_set_period(struct perf_counter *counter, u64 period)
{
	struct perf_counter_ctx *ctx = counter->ctx;
	u64 now = perf_counter_ctx_time(ctx);
	bool was_loaded = counter->loaded;
	struct perf_counter_pmu_cpu *cpu = counter_begin(counter);

	perf_counter_unload(counter, now);
	WRITE_ONCE(counter->period, period);
	local64_set(&counter->period_left, period);
	if (was_loaded)
		perf_counter_reload(counter, now);
	if (cpu)
		perf_counter_pmu_end(cpu);
}

/**
 * perf_counter_init_counter() - prepare a counter that counts for a descriptor
 * @counter: all zero
 * @desc: the descriptor
 * @stream_id: unique
 */
void perf_counter_init_counter(struct perf_counter *counter, struct perf_counter_desc *desc,
			       u64 stream_id)
{
	counter->desc = desc;
	counter->stream_id = stream_id;
	counter->leader = counter;
	if (unlikely(desc->branches))
		counter->with = WITH_BRANCHES;
	INIT_LIST_HEAD(&counter->members);
	if (desc->pmu->counter_init)
		desc->pmu->counter_init(counter);
}

/* === Which groups are loaded with their context === */

/* The counters of @leader's group that are loaded and unloaded with their context. */
static unsigned int group_count(struct perf_counter *leader)
{
	unsigned int nr = leader->needs_load;
	struct perf_counter *member;

	list_for_each_entry(member, &leader->members, member_node)
		nr += member->needs_load;
	return nr;
}

/*
 * Have the group of @leader, in which all that needs to be loaded is counted, loaded with
 * its context: where @pmu has room, or always if that is NULL.
 */
static void group_list(struct perf_counter *leader, const struct perf_counter_pmu *pmu)
{
	struct perf_counter_pmu_ctx *of_pmu = perf_counter_pmu_ctx(leader->ctx, pmu);
	unsigned int nr = group_count(leader);

	if (leader->pmu_ctx) {
		leader->pmu_ctx->nr -= nr;
		list_del(&leader->load_node);
	}
	leader->pmu_ctx = of_pmu;
	of_pmu->nr += nr;
	/* Whoever has room always gets it, pinned or not. */
	list_add_tail(&leader->load_node,
		      pmu && leader->desc->attr.pinned ? &of_pmu->pinned : &of_pmu->flexible);
}

/* @member, whose leader leaves, is on its own from now on, where its group is listed. */
static void member_list(struct perf_counter *member, struct perf_counter_pmu_ctx *of_pmu)
{
	member->pmu_ctx = of_pmu;
	/* No member is pinned. */
	list_add_tail(&member->load_node, &of_pmu->flexible);
}

/* @counter, unloaded, without members and in its group still, leaves its context. */
static void counter_unlist(struct perf_counter *counter)
{
	struct perf_counter_pmu_ctx *of_pmu = counter->leader->pmu_ctx;

	if (counter->with & WITH_USER)
		perf_counter_set_user(counter, false);
	if (counter->needs_load) {
		counter->ctx->nr_needs_load--;
		WRITE_ONCE(of_pmu->nr, of_pmu->nr - 1);
	}
	if (counter->pmu_ctx)
		list_del(&counter->load_node);
	counter->pmu_ctx = NULL;
}

/*
 * Have @counter, in a listed group, loaded with its context, which it did without so far: a
 * software counter when a counter of a PMU with limited room joins its group. It counts
 * only while the group has room.
 */
static void counter_require_load(struct perf_counter *counter, u64 now)
{
	/* Until now, all the time that it was enabled. */
	counter->time_running = perf_counter_time_running(counter, now);
	counter->run_stamp = now;
	WRITE_ONCE(counter->loaded, counter->group_enabled && counter->ctx->live_cpu >= 0);
	counter->needs_load = true;
	counter->ctx->nr_needs_load++;
	counter->leader->pmu_ctx->nr++;
	/* Partner: events look at @loaded only when the filter says so. */
	smp_wmb();
	WRITE_ONCE(counter->filter, counter->filter | FILTER_UNLOADED);
}

/* @counter, which has joined its context and group, may be loaded with them from now on. */
static void counter_join_load(struct perf_counter *counter, u64 now)
{
	const struct perf_counter_pmu *pmu = perf_counter_limited(counter->desc->pmu);
	struct perf_counter *leader = counter->leader, *member;
	struct perf_counter_ctx *ctx = counter->ctx;

	if (!leader->pmu_ctx || (pmu && leader->pmu_ctx->pmu != pmu))
		group_list(leader, pmu);
	if (counter->desc->needs_load) {
		counter->needs_load = true;
		ctx->nr_needs_load++;
		leader->pmu_ctx->nr++;
		/* There may be no room for what its samples are to have. */
		if (unlikely(counter->with & WITH_BRANCHES))
			counter->filter |= FILTER_UNLOADED;
	}
	if (!leader->pmu_ctx->pmu)
		return;
	/* What has room always counts only while the rest of its group has some. */
	if (!leader->needs_load)
		counter_require_load(leader, now);
	list_for_each_entry(member, &leader->members, member_node) {
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

/* Take @counter from the list of its event: in @hash, or of a software event. ctx->lock held. */
static void counter_unhash(struct perf_counter *counter, struct perf_counter_event_hash *hash)
{
	hlist_del_rcu(&counter->event_node);
	if (counter->desc->event_id)
		WRITE_ONCE(hash->nr_args, hash->nr_args - !!counter->desc->attr.config1);
}

/**
 * perf_counter_attach() - put a counter into a context
 * @ctx: the context, prepared for it
 * @counter: the counter, with its state
 * @leader: of its group in this context; itself if it leads
 *
 * Context: ctx->lock held; where ctx_call() calls.
 */
void perf_counter_attach(struct perf_counter_ctx *ctx, struct perf_counter *counter,
			 struct perf_counter *leader)
{
	struct perf_counter_desc *desc = counter->desc;
	u64 now = perf_counter_ctx_time(ctx);

	counter->leader = leader;
	if (leader != counter) {
		list_add_tail_rcu(&counter->member_node, &leader->members);
		leader->nr_members++;
	}
	WRITE_ONCE(counter->ctx, ctx);
	counter->exec_seen = ctx->exec_seen;
	list_add_tail(&counter->ctx_node, &ctx->counters);
	WRITE_ONCE(ctx->nr_counters, ctx->nr_counters + 1);
	if (ctx->live_cpu == CTX_EMPTY)
		WRITE_ONCE(ctx->live_cpu, CTX_STOPPED);
	WRITE_ONCE(ctx->nr_inherit, ctx->nr_inherit + desc->attr.inherit);
	if (desc->event >= 0)
		hlist_add_head_rcu(&counter->event_node, &ctx->sw[desc->event]);
	else if (desc->event_id)
		counter_hash(counter, ctx->hash);
	if (desc->sideband)
		list_add_tail_rcu(&counter->sideband_node, &ctx->sideband);
	if (desc->needs_load || leader->pmu_ctx)
		counter_join_load(counter, now);
	counter_update(counter, now);
}

/**
 * perf_counter_detach() - take a counter out of its context
 * @counter: the counter. The members of a group that it leads are on their
 *	own from here on.
 *
 * Events may go on using it for an RCU grace period.
 *
 * Context: ctx->lock held; where ctx_call() calls.
 */
void perf_counter_detach(struct perf_counter *counter)
{
	struct perf_counter_ctx *ctx = counter->ctx;
	u64 now = perf_counter_ctx_time(ctx);
	struct perf_counter *member, *next;
	struct perf_counter_pmu_cpu *cpu = counter_begin(counter);

	WRITE_ONCE(counter->enabled, false);
	counter_update(counter, now);
	list_for_each_entry_safe(member, next, &counter->members, member_node) {
		list_del_rcu(&member->member_node);
		WRITE_ONCE(member->leader, member);
		if (member->needs_load)
			member_list(member, counter->pmu_ctx);
		counter_update(member, now);
	}
	counter->nr_members = 0;
	if (counter->leader != counter) {
		list_del_rcu(&counter->member_node);
		counter->leader->nr_members--;
	}

	if (!hlist_unhashed(&counter->event_node))
		counter_unhash(counter, ctx->hash);
	if (counter->desc->sideband)
		list_del_rcu(&counter->sideband_node);
	if (counter->leader->pmu_ctx)
		counter_unlist(counter);
	list_del(&counter->ctx_node);
	WRITE_ONCE(counter->ctx, NULL);
	if (cpu)
		perf_counter_pmu_end(cpu);

	WRITE_ONCE(ctx->nr_inherit, ctx->nr_inherit - counter->desc->attr.inherit);
	/*
	 * What was written to the lists of PMUs, before: an ending task that sees the last counter
	 * gone frees them. Partner: the acquire in ctx_end_counters().
	 */
	smp_store_release(&ctx->nr_counters, ctx->nr_counters - 1);
	if (ctx->nr_counters || !ctx->task || ctx->live_cpu == CTX_DEAD)
		return;
	if (ctx->live_cpu >= 0)
		perf_counter_ctx_stop_at(ctx, now);
	WRITE_ONCE(ctx->live_cpu, CTX_EMPTY);
}
