// SPDX-License-Identifier: GPL-2.0
/*
 * What counts on a CPU: the counters of perf_counter that are loaded when
 * their context starts there, and unloaded when it stops.
 *
 * Most have room always. Those of a PMU whose room is limited are loaded a whole group
 * at a time or not at all: pinned groups first, the CPU's before the task's, then the
 * others as far as there is room. When there is not enough for all, a timer has them
 * take turns; times enabled and running say for how long each one had one. PMUs know
 * nothing of one another.
 *
 * All of this happens with IRQs off on the CPU that it is about; nobody else
 * looks at what it changes. See perf_counter_ctx_call().
 */

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>

#include "../counter/recorder.h"
#include "internal.h"

/* What it has of a PMU to be loaded, or NULL. */
static struct perf_counter_pmu_ctx *live_pmu_ctx(struct perf_counter_pmu_cpu *cpu,
						 unsigned int kind)
{
	struct perf_counter_ctx *ctx = live_ctx(kind);
	struct perf_counter_pmu_ctx *of_pmu = ctx ? perf_counter_pmu_ctx(ctx, cpu->pmu) : NULL;

	return of_pmu && of_pmu->nr ? of_pmu : NULL;
}

/* === One counter === */

/* May @counter be loaded, for all that other groups want? */
static bool has_room(struct perf_counter_pmu_cpu *cpu, struct perf_counter *counter)
{
	struct perf_counter *leader = counter->leader;

	if (cpu->exclusive)
		return cpu->exclusive == leader->stream_id;
	if (leader->desc->attr.exclusive) {
		if (cpu->nr_loaded)
			return false;
		cpu->exclusive = leader->stream_id;
	}
	return true;
}

/* Start @counter, which is to count, at context time @now. False when there is no room. */
static bool counter_load(struct perf_counter *counter, u64 now)
{
	const struct perf_counter_pmu *pmu = counter->desc->pmu;
	struct perf_counter_pmu_cpu *cpu = NULL;

	if (counter->loaded)
		return true;
	if (pmu->cpu) {
		cpu = this_cpu_ptr(pmu->cpu);
		if (unlikely(READ_ONCE(pmu->halted)) || !has_room(cpu, counter))
			return false;
	}
	counter->run_stamp = now;
	if (unlikely(counter->with & WITH_BRANCHES) &&
	    !perf_counter_recorder_add(counter->desc->branches))
		goto no_room;
	if (pmu->add && pmu->add(counter)) {
		if (counter->with & WITH_BRANCHES)
			perf_counter_recorder_del(counter->desc->branches);
		goto no_room;
	}
	WRITE_ONCE(counter->loaded, true);
	if (cpu)
		cpu->nr_loaded++;
	return true;

no_room:
	if (cpu && !cpu->nr_loaded)
		cpu->exclusive = 0;
	return false;
}

/* @counter, which has just stopped, is one with branches, or one that its program reads. */
static noinline void unload_more(struct perf_counter *counter, u64 now)
{
	if (counter->with & WITH_BRANCHES)
		perf_counter_recorder_del(counter->desc->branches);
	if (counter->with & WITH_USER)
		perf_counter_control_unload(counter, now);
}

/**
 * perf_counter_unload() - stop a counter, if it is loaded
 * @counter: a counter that loads
 * @now: context time
 *
 * Context: ctx->lock held, on the CPU where the context is live; between begin
 * and end if its PMU's room is limited.
 */
void perf_counter_unload(struct perf_counter *counter, u64 now)
{
	const struct perf_counter_pmu *pmu = counter->desc->pmu;
	struct perf_counter_pmu_cpu *cpu;

	if (!counter->loaded)
		return;
	if (pmu->del)
		pmu->del(counter, now);
	counter->time_running += perf_counter_since(now, counter->run_stamp);
	WRITE_ONCE(counter->loaded, false);
	if (unlikely(counter->with))
		unload_more(counter, now);
	if (!pmu->cpu)
		return;
	cpu = this_cpu_ptr(pmu->cpu);
	if (!--cpu->nr_loaded)
		cpu->exclusive = 0;
}

/**
 * perf_counter_reload() - start a counter again
 * @counter: just unloaded, so there is room
 * @now: context time
 *
 * Context: as perf_counter_unload().
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
	list_for_each_entry(member, &leader->members, member_node)
		perf_counter_unload(member, now);
}

/* Is the group of @leader to count on this CPU? */
static bool group_wants_load(struct perf_counter *leader)
{
	return leader->group_enabled &&
	       (leader->cpu == -1 || leader->cpu == smp_processor_id());
}

static bool is_elsewhere(const struct perf_counter *counter)
{
	const struct cpumask *elsewhere = counter->desc->elsewhere;

	return elsewhere && cpumask_test_cpu(smp_processor_id(), elsewhere);
}

/* Does a group that could not be loaded have counters for other CPUs than this one? */
static noinline bool group_is_elsewhere(const struct perf_counter *leader)
{
	const struct perf_counter *member;

	if (is_elsewhere(leader))
		return true;
	list_for_each_entry(member, &leader->members, member_node) {
		if (is_elsewhere(member))
			return true;
	}
	return false;
}

/* Load what is enabled in the group of @leader, or nothing. False when there is no room. */
static bool group_load(struct perf_counter *leader, u64 now)
{
	struct perf_counter *member;

	if (!group_wants_load(leader))
		return true;
	if (leader->needs_load && !counter_load(leader, now))
		goto unload;
	list_for_each_entry(member, &leader->members, member_node) {
		if (member->needs_load && member->group_enabled && !counter_load(member, now))
			goto unload;
	}
	return true;
unload:
	group_unload(leader, now);
	return group_is_elsewhere(leader);
}

/*
 * The same after @member alone was enabled in a group that was enabled before. A walk over the
 * group for each member that a program enables would cost the square of their number.
 */
static bool member_load(struct perf_counter *member, u64 now)
{
	struct perf_counter *leader = member->leader;

	if (!group_wants_load(leader))
		return true;
	/* The group has found no room, without this member. It waits for its turn. */
	if (leader->needs_load && !leader->loaded)
		return true;
	if (counter_load(member, now))
		return true;
	group_unload(leader, now);
	return group_is_elsewhere(leader);
}

static void groups_unload(struct list_head *groups, u64 now)
{
	struct perf_counter *leader;

	list_for_each_entry(leader, groups, load_node)
		group_unload(leader, now);
}

/* A pinned group has no room: it counts no more until its user enables it again. */
static void group_fail(struct perf_counter *leader, u64 now)
{
	struct perf_counter *member;

	if (READ_ONCE(leader->pmu_ctx->pmu->halted))
		return;
	leader->failed = true;
	WRITE_ONCE(leader->enabled, false);
	perf_counter_state_off(leader, now);
	list_for_each_entry(member, &leader->members, member_node) {
		if (member->group_enabled)
			perf_counter_state_off(member, now);
	}
}

/* Groups that are tried in vain before no others are tried: there may be very many. */
#define MISSES_MAX	4

/*
 * A pinned group without room leaves the room to others that need less. When several groups have
 * found none, those that follow fail without a try.
 */
static void pinned_load(struct perf_counter_pmu_ctx *of_pmu, u64 now)
{
	struct perf_counter *leader;
	unsigned int misses = 0;

	list_for_each_entry(leader, &of_pmu->pinned, load_node) {
		if (!group_wants_load(leader))
			continue;
		if (misses >= MISSES_MAX ? group_is_elsewhere(leader) : group_load(leader, now))
			continue;
		misses++;
		group_fail(leader, now);
	}
}

/* Those without room leave theirs to others that need less. */
static void flexible_load(struct perf_counter_pmu_ctx *of_pmu, u64 now)
{
	struct perf_counter *leader;
	unsigned int misses = 0;

	list_for_each_entry(leader, &of_pmu->flexible, load_node) {
		if (group_load(leader, now) || !of_pmu->pmu)
			continue;
		/* Nobody's turn comes. */
		if (READ_ONCE(of_pmu->pmu->halted))
			return;
		this_cpu_ptr(of_pmu->pmu->cpu)->starved = true;
		perf_counter_tick_start(of_pmu->pmu);
		if (++misses >= MISSES_MAX)
			return;
	}
}

/* === All of a PMU on a CPU === */

/* Load what has room, by priority. The time in the live context @timed, if not NULL, is @at. */
static void pmu_reload_at(struct perf_counter_pmu_cpu *cpu, struct perf_counter_ctx *timed, u64 at)
{
	struct perf_counter_pmu_ctx *live[LIVE_KINDS];
	u64 now[LIVE_KINDS] = {};
	struct perf_counter_ctx *ctx;
	unsigned int kind, i;

	perf_counter_pmu_begin(cpu);
	for (kind = 0; kind < LIVE_KINDS; kind++) {
		live[kind] = live_pmu_ctx(cpu, kind);
		if (!live[kind])
			continue;
		ctx = live_ctx(kind);
		now[kind] = ctx == timed ? at : perf_counter_ctx_time(ctx);
		groups_unload(&live[kind]->flexible, now[kind]);
		/* There is nobody before whom the first ones would have to give way. */
		if (kind)
			groups_unload(&live[kind]->pinned, now[kind]);
	}
	for (kind = 0; kind < LIVE_KINDS; kind++) {
		if (live[kind])
			pinned_load(live[kind], now[kind]);
	}
	for (i = 0; i < LIVE_KINDS; i++) {
		kind = (cpu->first + i) % LIVE_KINDS;
		if (live[kind])
			flexible_load(live[kind], now[kind]);
	}
	perf_counter_pmu_end(cpu);
}

/**
 * perf_counter_pmu_reload() - Load what has room, by priority
 * @cpu: a PMU, on this CPU
 *
 * Context: IRQs off.
 */
void perf_counter_pmu_reload(struct perf_counter_pmu_cpu *cpu)
{
	pmu_reload_at(cpu, NULL, 0);
}

/**
 * perf_counter_pmu_unload() - unload all that a PMU counts on this CPU, and reset it
 * @cpu: the PMU, on this CPU
 *
 * Context: IRQs off; the PMU is halted, or this CPU is about to lose it.
 */
void perf_counter_pmu_unload(struct perf_counter_pmu_cpu *cpu)
{
	struct perf_counter_pmu_ctx *of_pmu;
	unsigned int kind;
	u64 now;

	perf_counter_pmu_begin(cpu);
	for (kind = 0; kind < LIVE_KINDS; kind++) {
		of_pmu = live_pmu_ctx(cpu, kind);
		if (!of_pmu)
			continue;
		now = perf_counter_ctx_time(live_ctx(kind));
		groups_unload(&of_pmu->pinned, now);
		groups_unload(&of_pmu->flexible, now);
	}
	perf_counter_user_access(cpu, false);
	perf_counter_pmu_end(cpu);
	cpu->pmu->reset();
}

/**
 * perf_counter_pmu_go_on_here() - Load what a PMU counts on this CPU after it was halted
 * @cpu: the PMU, on this CPU; nothing is loaded on a CPU that comes or goes
 *
 * Context: IRQs off.
 */
void perf_counter_pmu_go_on_here(struct perf_counter_pmu_cpu *cpu)
{
	const struct perf_counter_pmu_ctx *of_pmu = live_pmu_ctx(cpu, LIVE_TASK);

	if (!cpu->here)
		return;
	perf_counter_pmu_begin(cpu);
	perf_counter_pmu_reload(cpu);
	if (of_pmu && of_pmu->nr_user)
		perf_counter_user_access(cpu, true);
	perf_counter_pmu_end(cpu);
}

/* Load @counter: with the group that it leads, or alone. False when there is no room. */
static bool counter_or_group_load(struct perf_counter *counter, u64 now)
{
	return counter->leader == counter ? group_load(counter, now) : member_load(counter, now);
}

/**
 * perf_counter_load_enabled() - Load a counter that has just been enabled, if there is room
 * @counter: the counter; its group is listed. When it leads the group, all that is enabled
 *	in the group is loaded.
 * @now: context time
 *
 * Context: ctx->lock held, on the CPU where the context is live.
 */
void perf_counter_load_enabled(struct perf_counter *counter, u64 now)
{
	struct perf_counter *leader = counter->leader;
	const struct perf_counter_pmu *pmu = leader->pmu_ctx->pmu;
	struct perf_counter_pmu_cpu *cpu;

	if (!pmu) {
		counter_or_group_load(counter, now);
		return;
	}
	cpu = this_cpu_ptr(pmu->cpu);
	if (!cpu->here)
		return;
	perf_counter_pmu_begin(cpu);
	if (!counter_or_group_load(counter, now)) {
		/* Pinned groups, and what fits only without others, have to be sorted in. */
		if (leader->desc->attr.pinned)
			perf_counter_pmu_reload(cpu);
		else
			cpu->starved = true;
		perf_counter_tick_start(pmu);
	}
	perf_counter_pmu_end(cpu);
}

static void pmu_ctx_load(struct perf_counter_pmu_ctx *of_pmu, u64 now)
{
	struct perf_counter_pmu_cpu *cpu;

	if (!of_pmu->pmu) {
		flexible_load(of_pmu, now);
		return;
	}
	cpu = this_cpu_ptr(of_pmu->pmu->cpu);
	if (!cpu->here)
		return;
	perf_counter_pmu_begin(cpu);
	if (list_empty(&of_pmu->pinned)) {
		flexible_load(of_pmu, now);
	} else if (cpu->nr_loaded) {
		/* Those that are loaded may have to make room. */
		perf_counter_pmu_reload(cpu);
	} else {
		pinned_load(of_pmu, now);
		flexible_load(of_pmu, now);
	}
	if (unlikely(of_pmu->nr_user))
		perf_counter_user_access(cpu, true);
	perf_counter_pmu_end(cpu);
}

/**
 * perf_counter_ctx_load() - a context has begun to run on this CPU
 * @ctx: the context
 * @now: context time
 *
 * Context: ctx->lock held.
 */
void perf_counter_ctx_load(struct perf_counter_ctx *ctx, u64 now)
{
	struct perf_counter_pmu_ctx *of_pmu;

	for (of_pmu = ctx->pmus; of_pmu; of_pmu = of_pmu->next) {
		if (of_pmu->nr)
			pmu_ctx_load(of_pmu, now);
	}
}

/**
 * perf_counter_ctx_reload() - Load what was enabled in a context without being loaded
 * @ctx: the context
 * @now: context time, at which the counters were enabled: what has room runs from then on
 *
 * Each PMU sorts in all groups that are live on this CPU, once.
 *
 * Context: ctx->lock held, on the CPU where the context is live.
 */
void perf_counter_ctx_reload(struct perf_counter_ctx *ctx, u64 now)
{
	struct perf_counter_pmu_ctx *of_pmu;
	struct perf_counter_pmu_cpu *cpu;

	for (of_pmu = ctx->pmus; of_pmu; of_pmu = of_pmu->next) {
		if (!of_pmu->nr)
			continue;
		if (!of_pmu->pmu) {
			flexible_load(of_pmu, now);
			continue;
		}
		cpu = this_cpu_ptr(of_pmu->pmu->cpu);
		if (cpu->here)
			pmu_reload_at(cpu, ctx, now);
	}
}

static void pmu_ctx_unload(struct perf_counter_pmu_ctx *of_pmu, u64 now)
{
	struct perf_counter_pmu_cpu *cpu;

	if (!of_pmu->pmu) {
		groups_unload(&of_pmu->flexible, now);
		return;
	}
	cpu = this_cpu_ptr(of_pmu->pmu->cpu);
	if (!cpu->here)
		return;
	perf_counter_pmu_begin(cpu);
	groups_unload(&of_pmu->pinned, now);
	groups_unload(&of_pmu->flexible, now);
	if (unlikely(of_pmu->nr_user))
		perf_counter_user_access(cpu, false);
	perf_counter_pmu_end(cpu);
}

/**
 * perf_counter_ctx_unload() - a context runs no more
 * @ctx: the context
 * @now: context time
 *
 * Context: ctx->lock held, on the CPU where it is live, or when it has nothing
 * to unload.
 */
void perf_counter_ctx_unload(struct perf_counter_ctx *ctx, u64 now)
{
	struct perf_counter_pmu_ctx *of_pmu;

	for (of_pmu = ctx->pmus; of_pmu; of_pmu = of_pmu->next) {
		if (of_pmu->nr)
			pmu_ctx_unload(of_pmu, now);
	}
}

/* === The tick, while it is needed === */

/* True when one of the loaded counters of @ctx, which is live here, needs the tick. */
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
 * Whoever had room lets those go first that follow it in its list; and so does
 * who found none though its list went first: there is no better chance.
 */
static void next_turn(struct list_head *groups, bool went_first)
{
	struct perf_counter *leader;

	list_for_each_entry(leader, groups, load_node) {
		if (leader->loaded || (went_first && group_wants_load(leader))) {
			list_move_tail(&leader->load_node, groups);
			return;
		}
	}
}

/* A tick has passed; the contexts that are live here are locked. */
static bool tick_here(struct perf_counter_pmu_cpu *cpu)
{
	struct perf_counter_pmu_ctx *of_pmu;
	struct perf_counter_ctx *ctx;
	unsigned int kind;
	bool again = false;

	perf_counter_pmu_begin(cpu);
	if (cpu->starved) {
		cpu->starved = false;
		for (kind = 0; kind < LIVE_KINDS; kind++) {
			of_pmu = live_pmu_ctx(cpu, kind);
			if (of_pmu)
				next_turn(&of_pmu->flexible, cpu->first == kind);
		}
		cpu->first = (cpu->first + 1) % LIVE_KINDS;
		perf_counter_pmu_reload(cpu);
	}
	for (kind = 0; kind < LIVE_KINDS; kind++) {
		ctx = live_ctx(kind);
		if (ctx)
			again |= ctx_tick(ctx, cpu->pmu);
	}
	perf_counter_pmu_end(cpu);
	return again || cpu->starved;
}

/* The same, when those before @kind are locked. */
static bool tick_from(struct perf_counter_pmu_cpu *cpu, unsigned int kind)
{
	struct perf_counter_ctx *ctx;
	bool again;

	if (kind == LIVE_KINDS)
		return tick_here(cpu);
	ctx = live_ctx(kind);
	if (!ctx)
		return tick_from(cpu, kind + 1);
	raw_spin_lock_nested(&ctx->lock, kind);
	again = tick_from(cpu, kind + 1);
	raw_spin_unlock(&ctx->lock);
	return again;
}

/**
 * perf_counter_tick() - a tick has passed for a PMU
 * @cpu: the PMU, on this CPU
 *
 * Context: IRQs off; no ctx->lock held.
 * Return: true when something waits for the next one.
 */
bool perf_counter_tick(struct perf_counter_pmu_cpu *cpu)
{
	return tick_from(cpu, 0);
}

static enum hrtimer_restart tick_fire(struct hrtimer *timer)
{
	struct perf_counter_pmu_cpu *cpu = container_of(timer, struct perf_counter_pmu_cpu, tick);

	/* An NMI that wants the tick from here on starts it anew. */
	WRITE_ONCE(cpu->ticking, false);
	if (!perf_counter_tick(cpu))
		return HRTIMER_NORESTART;
	WRITE_ONCE(cpu->ticking, true);
	hrtimer_forward_now(timer, ns_to_ktime(TICK_NSEC));
	return HRTIMER_RESTART;
}

static void tick_kick(struct irq_work *work)
{
	struct perf_counter_pmu_cpu *cpu = container_of(work, struct perf_counter_pmu_cpu, kick);

	/* A CPU that goes would leave it behind. */
	if (!cpu->online)
		WRITE_ONCE(cpu->ticking, false);
	else if (!hrtimer_active(&cpu->tick))
		hrtimer_start(&cpu->tick, ns_to_ktime(TICK_NSEC), HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * perf_counter_tick_start() - something on this CPU waits for the tick
 * @pmu: whose counter or group that is
 *
 * Context: any, NMI included; preemption disabled.
 */
void perf_counter_tick_start(const struct perf_counter_pmu *pmu)
{
	struct perf_counter_pmu_cpu *cpu = this_cpu_ptr(pmu->cpu);

	if (!READ_ONCE(cpu->ticking)) {
		WRITE_ONCE(cpu->ticking, true);
		irq_work_queue(&cpu->kick);
	}
}

/**
 * perf_counter_tick_init() - prepare the tick of a PMU on a CPU
 * @cpu: the two; all zero but for its pmu
 */
void perf_counter_tick_init(struct perf_counter_pmu_cpu *cpu)
{
	hrtimer_init(&cpu->tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	cpu->tick.function = tick_fire;
	cpu->kick = IRQ_WORK_INIT_HARD(tick_kick);
}

/**
 * perf_counter_tick_online() - the CPU has come
 * @cpu: a PMU, on it
 *
 * Context: perf_counter_pmus_online().
 */
void perf_counter_tick_online(struct perf_counter_pmu_cpu *cpu)
{
	cpu->online = true;
}

/**
 * perf_counter_tick_offline() - the CPU is about to go
 * @cpu: a PMU, on it; nothing of it is loaded
 *
 * Context: perf_counter_pmus_offline(); may sleep.
 */
void perf_counter_tick_offline(struct perf_counter_pmu_cpu *cpu)
{
	WRITE_ONCE(cpu->online, false);
	/* A kick that was faster starts the tick, and that is waited for then. */
	irq_work_sync(&cpu->kick);
	hrtimer_cancel(&cpu->tick);
	WRITE_ONCE(cpu->ticking, false);
	cpu->starved = false;
	cpu->first = 0;
}
