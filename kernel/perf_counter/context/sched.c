// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading: selecting the counters that count while their context runs on a CPU.
 *
 * Most counters always find room. Counters of a PMU with limited room are loaded a whole group
 * at a time or not at all: pinned groups first, the CPU's before the task's, then flexible groups
 * as long as there is room. If flexible groups are left over, a timer rotates them; the enabled
 * and running times say how long each one has counted. Each PMU is scheduled by itself.
 *
 * All functions run with IRQs off on the CPU whose counters they load or unload. Only that CPU
 * accesses the state that they change; see perf_counter_ctx_call().
 */

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>

#include "../counter/recorder.h"
#include "internal.h"

/*
 * Return the entry for the PMU of @pmu_cpu in the live context of @kind, or NULL if that context
 * has no counters of the PMU to load.
 */
static struct perf_counter_pmu_ctx *live_pmu_ctx(struct perf_counter_pmu_cpu *pmu_cpu,
						 unsigned int kind)
{
	struct perf_counter_ctx *ctx = live_ctx(kind);
	struct perf_counter_pmu_ctx *pmu_ctx = ctx ? perf_counter_pmu_ctx(ctx, pmu_cpu->pmu) : NULL;

	return pmu_ctx && pmu_ctx->nr ? pmu_ctx : NULL;
}

/* === One counter === */

/*
 * Return true if no loaded exclusive group excludes @counter. If @counter's own group is
 * exclusive, claim the PMU for it.
 */
static bool has_room(struct perf_counter_pmu_cpu *pmu_cpu, struct perf_counter *counter)
{
	struct perf_counter *leader = counter->group.leader;

	if (pmu_cpu->exclusive)
		return pmu_cpu->exclusive == leader->stream_id;
	if (leader->desc->attr.exclusive) {
		if (pmu_cpu->nr_loaded)
			return false;
		pmu_cpu->exclusive = leader->stream_id;
	}
	return true;
}

/* Load @counter at context time @now. Return false if there is no room. */
static bool counter_load(struct perf_counter *counter, u64 now)
{
	const struct perf_counter_pmu *pmu = counter->desc->pmu;
	struct perf_counter_pmu_cpu *pmu_cpu = NULL;

	if (counter->loaded)
		return true;
	if (pmu->cpu) {
		pmu_cpu = this_cpu_ptr(pmu->cpu);
		if (unlikely(READ_ONCE(pmu->halted)) || !has_room(pmu_cpu, counter))
			return false;
	}
	counter->times.run_stamp = now;
	if (unlikely(counter->flags & COUNTER_BRANCHES) &&
	    !perf_counter_recorder_add(counter->desc->records.branches))
		goto no_room;
	if (pmu->add && pmu->add(counter)) {
		if (counter->flags & COUNTER_BRANCHES)
			perf_counter_recorder_del(counter->desc->records.branches);
		goto no_room;
	}
	WRITE_ONCE(counter->loaded, true);
	if (pmu_cpu)
		pmu_cpu->nr_loaded++;
	return true;

no_room:
	if (pmu_cpu && !pmu_cpu->nr_loaded)
		pmu_cpu->exclusive = 0;
	return false;
}

/* Finish unloading @counter, which has branch records or is mapped by a program that reads it. */
static noinline void unload_more(struct perf_counter *counter, u64 now)
{
	if (counter->flags & COUNTER_BRANCHES)
		perf_counter_recorder_del(counter->desc->records.branches);
	if (counter->flags & COUNTER_USER_READ)
		perf_counter_user_page_unload(counter, now);
}

/**
 * perf_counter_unload() - Unload a counter, if it is loaded
 * @counter: a counter with needs_load
 * @now: context time, ns
 *
 * Context: ctx->lock held, on the CPU where the context is live; between perf_counter_pmu_begin()
 * and perf_counter_pmu_end() if the PMU has limited room.
 */
void perf_counter_unload(struct perf_counter *counter, u64 now)
{
	const struct perf_counter_pmu *pmu = counter->desc->pmu;
	struct perf_counter_pmu_cpu *pmu_cpu;

	if (!counter->loaded)
		return;
	if (pmu->del)
		pmu->del(counter, now);
	counter->times.running += perf_counter_since(now, counter->times.run_stamp);
	WRITE_ONCE(counter->loaded, false);
	if (unlikely(counter->flags))
		unload_more(counter, now);
	if (!pmu->cpu)
		return;
	pmu_cpu = this_cpu_ptr(pmu->cpu);
	if (!--pmu_cpu->nr_loaded)
		pmu_cpu->exclusive = 0;
}

/**
 * perf_counter_reload() - Load a counter that was just unloaded and is sure to find room
 * @counter: the counter
 * @now: context time, ns
 *
 * Context: ctx->lock held, on the CPU where the context is live; between perf_counter_pmu_begin()
 * and perf_counter_pmu_end() if the PMU has limited room.
 */
void perf_counter_reload(struct perf_counter *counter, u64 now)
{
	counter_load(counter, now);
}

/* === Groups === */

static void group_unload(struct perf_counter *leader, u64 now)
{
	struct perf_counter *member;

	perf_counter_unload(leader, now);
	list_for_each_entry(member, &leader->group.members, group.node)
		perf_counter_unload(member, now);
}

/* Return true if the group of @leader is enabled, and may count on this CPU. */
static bool group_wants_load(struct perf_counter *leader)
{
	return leader->group_enabled &&
	       (leader->cpu == -1 || leader->cpu == smp_processor_id());
}

static bool cpu_unsupported(const struct perf_counter *counter)
{
	const struct cpumask *unsupported = counter->desc->unsupported_cpus;

	return unsupported && cpumask_test_cpu(smp_processor_id(), unsupported);
}

/* Return true if at least one event of the group cannot be counted on this kind of CPU. */
static noinline bool group_unsupported(const struct perf_counter *leader)
{
	const struct perf_counter *member;

	if (cpu_unsupported(leader))
		return true;
	list_for_each_entry(member, &leader->group.members, group.node) {
		if (cpu_unsupported(member))
			return true;
	}
	return false;
}

/*
 * Load all enabled counters of the group of @leader, or none. Return false if the group found no
 * room and waits for it; a group that this kind of CPU cannot count does not wait.
 */
static bool group_load(struct perf_counter *leader, u64 now)
{
	struct perf_counter *member;

	if (!group_wants_load(leader))
		return true;
	if (leader->needs_load && !counter_load(leader, now))
		goto unload;
	list_for_each_entry(member, &leader->group.members, group.node) {
		if (member->needs_load && member->group_enabled && !counter_load(member, now))
			goto unload;
	}
	return true;
unload:
	group_unload(leader, now);
	return group_unsupported(leader);
}

/*
 * Load @member, which was just enabled in an enabled group. Do not walk over the group: enabling n
 * members one by one would take time quadratic in n. Return false if there is no room; the group
 * is then unloaded.
 */
static bool member_load(struct perf_counter *member, u64 now)
{
	struct perf_counter *leader = member->group.leader;

	if (!group_wants_load(leader))
		return true;
	/*
	 * If the rest of the group found no room, the group waits for its turn: do not try the
	 * member.
	 */
	if (leader->needs_load && !leader->loaded)
		return true;
	if (counter_load(member, now))
		return true;
	group_unload(leader, now);
	return group_unsupported(leader);
}

static void groups_unload(struct list_head *groups, u64 now)
{
	struct perf_counter *leader;

	list_for_each_entry(leader, groups, load_node)
		group_unload(leader, now);
}

/* Disable a pinned group that found no room; it stays disabled until it is enabled again. */
static void group_fail(struct perf_counter *leader, u64 now)
{
	struct perf_counter *member;

	if (READ_ONCE(leader->pmu_ctx->pmu->halted))
		return;
	leader->failed = true;
	WRITE_ONCE(leader->enabled, false);
	perf_counter_state_off(leader, now);
	list_for_each_entry(member, &leader->group.members, group.node) {
		if (member->group_enabled)
			perf_counter_state_off(member, now);
	}
}

/*
 * Number of groups that may fail to load before the remaining groups are skipped: there may be very
 * many groups.
 */
#define MISSES_MAX	4

/*
 * Load the pinned groups. If a group finds no room, try the next one, which may be smaller. After
 * MISSES_MAX such groups, the rest fail without being tried.
 */
static void pinned_load(struct perf_counter_pmu_ctx *pmu_ctx, u64 now)
{
	struct perf_counter *leader;
	unsigned int misses = 0;

	list_for_each_entry(leader, &pmu_ctx->pinned, load_node) {
		if (!group_wants_load(leader))
			continue;
		if (misses >= MISSES_MAX ? group_unsupported(leader) : group_load(leader, now))
			continue;
		misses++;
		group_fail(leader, now);
	}
}

/* Load flexible groups. If a group finds no room, try the next one, which may be smaller. */
static void flexible_load(struct perf_counter_pmu_ctx *pmu_ctx, u64 now)
{
	struct perf_counter *leader;
	unsigned int misses = 0;

	list_for_each_entry(leader, &pmu_ctx->flexible, load_node) {
		if (group_load(leader, now) || !pmu_ctx->pmu)
			continue;
		/* Groups of a halted PMU are not rotated. */
		if (READ_ONCE(pmu_ctx->pmu->halted))
			return;
		this_cpu_ptr(pmu_ctx->pmu->cpu)->starved = true;
		perf_counter_tick_start(pmu_ctx->pmu);
		if (++misses >= MISSES_MAX)
			return;
	}
}

/* === All counters of a PMU on a CPU === */

/* Load the flexible groups of the live contexts of @kinds, whose times are @now. */
static void flexible_load_kinds(struct perf_counter_pmu_ctx *const *live, const u64 *now,
				unsigned long kinds)
{
	unsigned int kind;

	while (kinds) {
		kind = take_kind(&kinds);
		flexible_load(live[kind], now[kind]);
	}
}

/*
 * Load as many groups as find room, by priority. If @timed is not NULL, it is a live context and
 * @at is its context time.
 */
static void pmu_reload_at(struct perf_counter_pmu_cpu *pmu_cpu, struct perf_counter_ctx *timed,
			  u64 at)
{
	struct perf_counter_pmu_ctx *live[LIVE_KINDS];
	unsigned long kinds = 0, left = live_kinds();
	struct perf_counter_ctx *ctx;
	u64 now[LIVE_KINDS];
	unsigned int kind;

	perf_counter_pmu_begin(pmu_cpu);
	while (left) {
		kind = take_kind(&left);
		live[kind] = live_pmu_ctx(pmu_cpu, kind);
		if (!live[kind])
			continue;
		kinds |= BIT(kind);
		ctx = live_ctx(kind);
		now[kind] = ctx == timed ? at : perf_counter_ctx_time(ctx);
		groups_unload(&live[kind]->flexible, now[kind]);
		/* Pinned groups of the CPU have the highest priority and stay loaded. */
		if (kind)
			groups_unload(&live[kind]->pinned, now[kind]);
	}
	for (left = kinds; left;) {
		kind = take_kind(&left);
		pinned_load(live[kind], now[kind]);
	}
	/*
	 * Begin with the kind pmu_cpu->first and the kinds after it, then load the kinds before it.
	 */
	flexible_load_kinds(live, now, kinds & GENMASK(LIVE_TASK, pmu_cpu->first));
	flexible_load_kinds(live, now, kinds & (BIT(pmu_cpu->first) - 1));
	perf_counter_pmu_end(pmu_cpu);
}

/**
 * perf_counter_pmu_reload() - Load as many groups as find room, by priority
 * @pmu_cpu: the PMU, on this CPU
 *
 * Context: IRQs off.
 */
void perf_counter_pmu_reload(struct perf_counter_pmu_cpu *pmu_cpu)
{
	pmu_reload_at(pmu_cpu, NULL, 0);
}

/**
 * perf_counter_pmu_unload() - Unload all counters of a PMU on this CPU, and reset the PMU
 * @pmu_cpu: the PMU, on this CPU
 *
 * Context: IRQs off; the PMU is halted, or this CPU is about to go offline.
 */
void perf_counter_pmu_unload(struct perf_counter_pmu_cpu *pmu_cpu)
{
	struct perf_counter_pmu_ctx *pmu_ctx;
	unsigned long kinds = live_kinds();
	unsigned int kind;
	u64 now;

	perf_counter_pmu_begin(pmu_cpu);
	while (kinds) {
		kind = take_kind(&kinds);
		pmu_ctx = live_pmu_ctx(pmu_cpu, kind);
		if (!pmu_ctx)
			continue;
		now = perf_counter_ctx_time(live_ctx(kind));
		groups_unload(&pmu_ctx->pinned, now);
		groups_unload(&pmu_ctx->flexible, now);
	}
	perf_counter_user_access(pmu_cpu, false);
	perf_counter_pmu_end(pmu_cpu);
	pmu_cpu->pmu->reset();
}

/**
 * perf_counter_pmu_go_on_this_cpu() - Load the counters of a PMU on this CPU after a halt
 * @pmu_cpu: the PMU, on this CPU; nothing happens while the CPU comes online or goes offline
 *
 * Context: IRQs off.
 */
void perf_counter_pmu_go_on_this_cpu(struct perf_counter_pmu_cpu *pmu_cpu)
{
	const struct perf_counter_pmu_ctx *pmu_ctx = live_pmu_ctx(pmu_cpu, LIVE_TASK);

	if (!pmu_cpu->present)
		return;
	perf_counter_pmu_begin(pmu_cpu);
	perf_counter_pmu_reload(pmu_cpu);
	if (pmu_ctx && pmu_ctx->nr_user_read)
		perf_counter_user_access(pmu_cpu, true);
	perf_counter_pmu_end(pmu_cpu);
}

/* Load the group of @counter if it leads one, else @counter alone. Return false without room. */
static bool counter_or_group_load(struct perf_counter *counter, u64 now)
{
	if (counter->group.leader == counter)
		return group_load(counter, now);
	return member_load(counter, now);
}

/**
 * perf_counter_load_enabled() - Load a counter that has just been enabled, if there is room
 * @counter: a counter whose group is listed; a leader is loaded with all enabled members
 * @now: context time, ns
 *
 * Context: ctx->lock held, on the CPU where the context is live.
 */
void perf_counter_load_enabled(struct perf_counter *counter, u64 now)
{
	struct perf_counter *leader = counter->group.leader;
	const struct perf_counter_pmu *pmu = leader->pmu_ctx->pmu;
	struct perf_counter_pmu_cpu *pmu_cpu;

	if (!pmu) {
		counter_or_group_load(counter, now);
		return;
	}
	pmu_cpu = this_cpu_ptr(pmu->cpu);
	if (!pmu_cpu->present)
		return;
	perf_counter_pmu_begin(pmu_cpu);
	if (!counter_or_group_load(counter, now)) {
		/* A pinned group takes registers from flexible groups. */
		if (leader->desc->attr.pinned)
			perf_counter_pmu_reload(pmu_cpu);
		else
			pmu_cpu->starved = true;
		perf_counter_tick_start(pmu);
	}
	perf_counter_pmu_end(pmu_cpu);
}

static void pmu_ctx_load(struct perf_counter_pmu_ctx *pmu_ctx, u64 now)
{
	struct perf_counter_pmu_cpu *pmu_cpu;

	if (!pmu_ctx->pmu) {
		flexible_load(pmu_ctx, now);
		return;
	}
	pmu_cpu = this_cpu_ptr(pmu_ctx->pmu->cpu);
	if (!pmu_cpu->present)
		return;
	perf_counter_pmu_begin(pmu_cpu);
	if (list_empty(&pmu_ctx->pinned)) {
		flexible_load(pmu_ctx, now);
	} else if (pmu_cpu->nr_loaded) {
		/* Pinned groups may take registers from loaded flexible groups. */
		perf_counter_pmu_reload(pmu_cpu);
	} else {
		pinned_load(pmu_ctx, now);
		flexible_load(pmu_ctx, now);
	}
	if (unlikely(pmu_ctx->nr_user_read))
		perf_counter_user_access(pmu_cpu, true);
	perf_counter_pmu_end(pmu_cpu);
}

/**
 * perf_counter_ctx_load() - Load the counters of a context that starts to run on this CPU
 * @ctx: the context
 * @now: context time, ns
 *
 * Context: ctx->lock held.
 */
void perf_counter_ctx_load(struct perf_counter_ctx *ctx, u64 now)
{
	struct perf_counter_pmu_ctx *pmu_ctx;

	for (pmu_ctx = ctx->pmus; pmu_ctx; pmu_ctx = pmu_ctx->next) {
		if (pmu_ctx->nr)
			pmu_ctx_load(pmu_ctx, now);
	}
}

/**
 * perf_counter_ctx_reload() - Load the counters that perf_counter_enable_unloaded() enabled
 * @ctx: the context
 * @now: context time when the counters were enabled, ns; loaded counters run from then on
 *
 * For each PMU, all groups that are live on this CPU are sorted once.
 *
 * Context: ctx->lock held, on the CPU where the context is live.
 */
void perf_counter_ctx_reload(struct perf_counter_ctx *ctx, u64 now)
{
	struct perf_counter_pmu_ctx *pmu_ctx;
	struct perf_counter_pmu_cpu *pmu_cpu;

	for (pmu_ctx = ctx->pmus; pmu_ctx; pmu_ctx = pmu_ctx->next) {
		if (!pmu_ctx->nr)
			continue;
		if (!pmu_ctx->pmu) {
			flexible_load(pmu_ctx, now);
			continue;
		}
		pmu_cpu = this_cpu_ptr(pmu_ctx->pmu->cpu);
		if (pmu_cpu->present)
			pmu_reload_at(pmu_cpu, ctx, now);
	}
}

static void pmu_ctx_unload(struct perf_counter_pmu_ctx *pmu_ctx, u64 now)
{
	struct perf_counter_pmu_cpu *pmu_cpu;

	if (!pmu_ctx->pmu) {
		groups_unload(&pmu_ctx->flexible, now);
		return;
	}
	pmu_cpu = this_cpu_ptr(pmu_ctx->pmu->cpu);
	if (!pmu_cpu->present)
		return;
	perf_counter_pmu_begin(pmu_cpu);
	groups_unload(&pmu_ctx->pinned, now);
	groups_unload(&pmu_ctx->flexible, now);
	if (unlikely(pmu_ctx->nr_user_read))
		perf_counter_user_access(pmu_cpu, false);
	perf_counter_pmu_end(pmu_cpu);
}

/**
 * perf_counter_ctx_unload() - Unload the counters of a context that stops running
 * @ctx: the context
 * @now: context time, ns
 *
 * Context: ctx->lock held, on the CPU where the context is live; anywhere if no counter is
 * loaded.
 */
void perf_counter_ctx_unload(struct perf_counter_ctx *ctx, u64 now)
{
	struct perf_counter_pmu_ctx *pmu_ctx;

	for (pmu_ctx = ctx->pmus; pmu_ctx; pmu_ctx = pmu_ctx->next) {
		if (pmu_ctx->nr)
			pmu_ctx_unload(pmu_ctx, now);
	}
}

/* === The tick: rotation, frequencies, throttled counters === */

/*
 * Call @pmu->tick for the loaded counters of @ctx, which is live. Return true if a counter needs
 * another tick.
 */
static bool ctx_tick(struct perf_counter_ctx *ctx, const struct perf_counter_pmu *pmu)
{
	u64 now = perf_counter_ctx_time(ctx);
	struct perf_counter *counter;
	bool again = false;

	list_for_each_entry(counter, &ctx->counters, ctx_node) {
		if (counter->loaded && counter->desc->pmu == pmu)
			again |= pmu->tick(counter, now);
	}
	return again;
}

/*
 * Rotate the groups: move the first loaded group to the end. If the list was tried first, also
 * move a group that found no room: it would block the list.
 */
static void groups_rotate(struct list_head *groups, bool went_first)
{
	struct perf_counter *leader;

	list_for_each_entry(leader, groups, load_node) {
		if (leader->loaded || (went_first && group_wants_load(leader))) {
			list_move_tail(&leader->load_node, groups);
			return;
		}
	}
}

/* Return the kinds of live contexts that have counters of the PMU to load, a bit for each. */
static unsigned long live_pmu_kinds(struct perf_counter_pmu_cpu *pmu_cpu)
{
	unsigned long kinds = live_kinds(), left = kinds;
	unsigned int kind;

	while (left) {
		kind = take_kind(&left);
		if (!live_pmu_ctx(pmu_cpu, kind))
			kinds &= ~BIT(kind);
	}
	return kinds;
}

/*
 * Return the first of @kinds that is not before @from; if there is none, the first of @kinds.
 * @kinds is not 0.
 */
static unsigned int kind_from(unsigned long kinds, unsigned int from)
{
	unsigned long later = kinds & ~(BIT(from) - 1);

	return __ffs(later ?: kinds);
}

/* Rotate the flexible groups of the live contexts, and let the next context load first. */
static void live_rotate(struct perf_counter_pmu_cpu *pmu_cpu)
{
	unsigned long kinds = live_pmu_kinds(pmu_cpu), left = kinds;
	unsigned int first, kind;

	if (!kinds)
		return;
	first = kind_from(kinds, pmu_cpu->first);
	while (left) {
		kind = take_kind(&left);
		groups_rotate(&live_pmu_ctx(pmu_cpu, kind)->flexible, kind == first);
	}
	pmu_cpu->first = kind_from(kinds, first + 1);
}

/* Handle a tick, with the live contexts of this CPU locked. */
static bool tick_locked(struct perf_counter_pmu_cpu *pmu_cpu)
{
	unsigned long kinds = live_kinds();
	struct perf_counter_ctx *ctx;
	unsigned int kind;
	bool again = false;

	perf_counter_pmu_begin(pmu_cpu);
	if (pmu_cpu->starved) {
		pmu_cpu->starved = false;
		live_rotate(pmu_cpu);
		perf_counter_pmu_reload(pmu_cpu);
	}
	while (kinds) {
		kind = take_kind(&kinds);
		ctx = live_ctx(kind);
		if (ctx)
			again |= ctx_tick(ctx, pmu_cpu->pmu);
	}
	perf_counter_pmu_end(pmu_cpu);
	return again || pmu_cpu->starved;
}

/* Lock the live contexts of @kinds, then handle the tick. */
static bool tick_lock_kinds(struct perf_counter_pmu_cpu *pmu_cpu, unsigned long kinds)
{
	struct perf_counter_ctx *ctx;
	unsigned int kind;
	bool again;

	if (!kinds)
		return tick_locked(pmu_cpu);
	kind = take_kind(&kinds);
	ctx = live_ctx(kind);
	if (!ctx)
		return tick_lock_kinds(pmu_cpu, kinds);
	/* The locks of control groups have a class for each level. */
	raw_spin_lock_nested(&ctx->lock, kind == LIVE_TASK);
	again = tick_lock_kinds(pmu_cpu, kinds);
	raw_spin_unlock(&ctx->lock);
	return again;
}

/**
 * perf_counter_tick() - Handle a tick of a PMU
 * @pmu_cpu: the PMU, on this CPU
 *
 * Context: IRQs off; no ctx->lock held.
 * Return: true when a counter or a group waits for the next tick.
 */
bool perf_counter_tick(struct perf_counter_pmu_cpu *pmu_cpu)
{
	return tick_lock_kinds(pmu_cpu, live_kinds());
}

static enum hrtimer_restart tick_fire(struct hrtimer *timer)
{
	struct perf_counter_pmu_cpu *pmu_cpu =
		container_of(timer, struct perf_counter_pmu_cpu, tick);

	/* Clear @ticking first: an NMI that needs the tick during the call then starts it again. */
	WRITE_ONCE(pmu_cpu->ticking, false);
	if (!perf_counter_tick(pmu_cpu))
		return HRTIMER_NORESTART;
	WRITE_ONCE(pmu_cpu->ticking, true);
	hrtimer_forward_now(timer, ns_to_ktime(TICK_NSEC));
	return HRTIMER_RESTART;
}

static void tick_kick(struct irq_work *work)
{
	struct perf_counter_pmu_cpu *pmu_cpu =
		container_of(work, struct perf_counter_pmu_cpu, kick);

	/* Do not start a timer on a CPU that goes offline. */
	if (!pmu_cpu->online)
		WRITE_ONCE(pmu_cpu->ticking, false);
	else if (!hrtimer_active(&pmu_cpu->tick))
		hrtimer_start(&pmu_cpu->tick, ns_to_ktime(TICK_NSEC), HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * perf_counter_tick_start() - Start the tick of a PMU on this CPU
 * @pmu: PMU of the counter or group that waits for the tick
 *
 * Context: any, NMI included; preemption disabled.
 */
void perf_counter_tick_start(const struct perf_counter_pmu *pmu)
{
	struct perf_counter_pmu_cpu *pmu_cpu = this_cpu_ptr(pmu->cpu);

	if (!READ_ONCE(pmu_cpu->ticking)) {
		WRITE_ONCE(pmu_cpu->ticking, true);
		irq_work_queue(&pmu_cpu->kick);
	}
}

/**
 * perf_counter_tick_init() - Prepare the tick of a PMU on a CPU
 * @pmu_cpu: state of the PMU on the CPU; zero except for pmu
 */
void perf_counter_tick_init(struct perf_counter_pmu_cpu *pmu_cpu)
{
	hrtimer_init(&pmu_cpu->tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	pmu_cpu->tick.function = tick_fire;
	pmu_cpu->kick = IRQ_WORK_INIT_HARD(tick_kick);
}

/**
 * perf_counter_tick_online() - Allow the tick on a CPU that comes online
 * @pmu_cpu: state of the PMU on that CPU
 *
 * Context: perf_counter_pmus_online().
 */
void perf_counter_tick_online(struct perf_counter_pmu_cpu *pmu_cpu)
{
	pmu_cpu->online = true;
}

/**
 * perf_counter_tick_offline() - Stop the tick on a CPU that goes offline
 * @pmu_cpu: state of the PMU on that CPU; no counter is loaded
 *
 * Context: perf_counter_pmus_offline(); may sleep.
 */
void perf_counter_tick_offline(struct perf_counter_pmu_cpu *pmu_cpu)
{
	WRITE_ONCE(pmu_cpu->online, false);
	/* A pending kick may start the tick: wait for the kick, then cancel the tick. */
	irq_work_sync(&pmu_cpu->kick);
	hrtimer_cancel(&pmu_cpu->tick);
	WRITE_ONCE(pmu_cpu->ticking, false);
	pmu_cpu->starved = false;
	pmu_cpu->first = 0;
}
