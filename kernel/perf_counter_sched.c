// SPDX-License-Identifier: GPL-2.0
/*
 * What counts on a CPU: the counters of perf_counter that are loaded when
 * their context starts there, and unloaded when it stops.
 *
 * Most have room always. Those of the PMU are loaded a whole group at a time or
 * not at all: pinned groups first, the CPU's before the task's, then the others
 * as far as there is room. When there is not enough for all, a timer has them
 * take turns; times enabled and running say for how long each one had one.
 *
 * All of this happens with IRQs off on the CPU that it is about; nobody else
 * looks at what it changes. See perf_counter_ctx_call().
 */

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>

#include "perf_counter.h"

/**
 * struct sched_cpu - the PMU of a CPU, as seen from here
 * @depth: of begin and end; inside it counts nothing
 * @nr_hw: counters of the PMU that are loaded
 * @user: the current task reads counters by itself
 * @exclusive: stream_id of the leader whose group is loaded alone; or 0
 * @starved: some group that could run found no room
 * @task_first: flexible groups of the task go before those of the CPU, this turn
 * @online: the CPU is there, and @tick may be started
 * @ticking: @tick is started, or will be by @kick
 * @tick: for turns, frequencies and what is throttled
 * @kick: starts @tick from an NMI
 */
struct sched_cpu {
	unsigned int		depth;
	unsigned int		nr_hw;
	bool			user;
	u64			exclusive;
	bool			starved;
	bool			task_first;
	bool			online;
	bool			ticking;
	struct hrtimer		tick;
	struct irq_work		kick;
};

static DEFINE_PER_CPU(struct sched_cpu, sched_cpu);

/* The context of the task on this CPU, if it is live and uses the PMU; else NULL. */
static struct perf_counter_ctx *hw_task_ctx(void)
{
	struct perf_counter_ctx *ctx = READ_ONCE(current->perf_counter_ctx);

	return ctx && ctx->nr_hw && ctx->live_cpu == smp_processor_id() ? ctx : NULL;
}

/* Tell the program where the counters are that it reads by itself. */
static noinline void user_tell(void)
{
	struct perf_counter_ctx *ctx = hw_task_ctx();
	struct perf_counter *counter;

	if (!ctx)
		return;
	list_for_each_entry(counter, &ctx->counters, ctx_node) {
		if (counter->user && counter->is_loaded)
			perf_counter_control_load(counter);
	}
}

/**
 * perf_counter_hw_begin() - what the PMU of this CPU counts is about to change
 *
 * May be nested. Context: IRQs off.
 */
void perf_counter_hw_begin(void)
{
	if (!this_cpu_ptr(&sched_cpu)->depth++)
		perf_counter_backend->disable();
}

/**
 * perf_counter_hw_end() - it has changed
 *
 * Context: as the begin.
 */
void perf_counter_hw_end(void)
{
	struct sched_cpu *cpu = this_cpu_ptr(&sched_cpu);

	if (--cpu->depth)
		return;
	if (perf_counter_backend->enable() && unlikely(cpu->user))
		user_tell();
}

/* Let the current task read counters, or not; it may be about to, however few are loaded. */
static void user_access(bool user)
{
	this_cpu_ptr(&sched_cpu)->user = user;
	perf_counter_backend->user_access(user);
}

/**
 * perf_counter_set_user() - the program reads a counter by itself, or not any more
 * @counter: a counter of the PMU, in a task's context
 * @user: which of the two
 *
 * Context: ctx->lock held, where ctx_call() calls.
 */
void perf_counter_set_user(struct perf_counter *counter, bool user)
{
	struct perf_counter_ctx *ctx = counter->ctx;

	if (counter->user == user)
		return;
	counter->user = user;
	ctx->nr_user += user ? 1 : -1;
	if (ctx->live_cpu >= 0)
		user_access(ctx->nr_user);
}

/* === One counter === */

/* May @counter be loaded, for all that other groups want? */
static bool hw_may_load(struct sched_cpu *cpu, struct perf_counter *counter)
{
	struct perf_counter *leader = counter->leader;

	if (cpu->exclusive)
		return cpu->exclusive == leader->stream_id;
	if (leader->desc->attr.exclusive) {
		if (cpu->nr_hw)
			return false;
		cpu->exclusive = leader->stream_id;
	}
	return true;
}

/* Start @counter, which is on, at context time @now. False when there is no room. */
static bool counter_load(struct perf_counter *counter, u64 now)
{
	const struct perf_counter_pmu *pmu = counter->desc->pmu;
	bool hw = perf_counter_is_hw(counter->desc);
	struct sched_cpu *cpu = this_cpu_ptr(&sched_cpu);

	if (counter->is_loaded)
		return true;
	if (hw && !hw_may_load(cpu, counter))
		return false;
	counter->run_stamp = now;
	if (pmu->add && pmu->add(counter)) {
		if (hw && !cpu->nr_hw)
			cpu->exclusive = 0;
		return false;
	}
	WRITE_ONCE(counter->is_loaded, true);
	if (!hw)
		return true;
	cpu->nr_hw++;
	if (counter->desc->attr.freq)
		perf_counter_sched_tick_start();
	return true;
}

static void hw_unloaded(struct perf_counter *counter, u64 now)
{
	struct sched_cpu *cpu = this_cpu_ptr(&sched_cpu);

	if (!--cpu->nr_hw)
		cpu->exclusive = 0;
	if (unlikely(counter->user))
		perf_counter_control_unload(counter, now);
}

/**
 * perf_counter_unload() - stop a counter, if it is loaded
 * @counter: a counter that loads
 * @now: context time
 *
 * Context: ctx->lock held, on the CPU where the context is live; between begin
 * and end if it is one of the PMU.
 */
void perf_counter_unload(struct perf_counter *counter, u64 now)
{
	const struct perf_counter_pmu *pmu = counter->desc->pmu;

	if (!counter->is_loaded)
		return;
	if (pmu->del)
		pmu->del(counter);
	counter->time_running += perf_counter_since(now, counter->run_stamp);
	WRITE_ONCE(counter->is_loaded, false);
	if (perf_counter_is_hw(counter->desc))
		hw_unloaded(counter, now);
}

/**
 * perf_counter_reload() - start a counter again
 * @counter: of the PMU; just unloaded, so there is room
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
	return leader->on && (leader->cpu == -1 || leader->cpu == smp_processor_id());
}

/* Load what is on in the group of @leader, all of it or nothing. False when there is no room. */
static bool group_load(struct perf_counter *leader, u64 now)
{
	struct perf_counter *member;

	if (!group_wants_load(leader))
		return true;
	if (leader->load && !counter_load(leader, now))
		goto unload;
	list_for_each_entry(member, &leader->members, member_node) {
		if (member->load && member->on && !counter_load(member, now))
			goto unload;
	}
	return true;
unload:
	group_unload(leader, now);
	return false;
}

static void groups_unload(struct list_head *groups, u64 now)
{
	struct perf_counter *leader;

	list_for_each_entry(leader, groups, load_node)
		group_unload(leader, now);
}

/* A pinned group has no room: it counts no more until its user enables it again. */
static void group_fail(struct perf_counter *leader)
{
	if (READ_ONCE(perf_counter_hw_halted))
		return;
	leader->failed = true;
	perf_counter_set_enabled(leader, false);
}

static void pinned_load(struct perf_counter_ctx *ctx, u64 now)
{
	struct perf_counter *leader;

	list_for_each_entry(leader, &ctx->pinned, load_node) {
		if (!group_load(leader, now))
			group_fail(leader);
	}
}

/* Groups that are tried in vain before the others have to wait for their turn. */
#define MISSES_MAX	4

/* Those without room leave theirs to others that need less; but there may be very many. */
static void flexible_load(struct perf_counter_ctx *ctx, u64 now)
{
	struct perf_counter *leader;
	unsigned int misses = 0;

	list_for_each_entry(leader, &ctx->flexible, load_node) {
		if (leader->hw_group && misses >= MISSES_MAX)
			continue;
		if (group_load(leader, now) || !leader->hw_group)
			continue;
		misses++;
		this_cpu_ptr(&sched_cpu)->starved = true;
		perf_counter_sched_tick_start();
	}
}

/* === All of a CPU === */

/* Begin anew, by priority. @task is NULL or the live context of the task. */
static void cpu_reload(struct perf_counter_ctx *task)
{
	struct perf_counter_ctx *cpu = this_cpu_ptr(&perf_counter_cpu_ctx);
	/* The CPU's is not live while it comes or goes. */
	struct perf_counter_ctx *turn[2] = { cpu->live_cpu < 0 ? NULL : cpu, task };
	u64 now[2] = { perf_counter_ctx_time(cpu), task ? perf_counter_ctx_time(task) : 0 };
	bool second = this_cpu_ptr(&sched_cpu)->task_first;
	unsigned int i;

	perf_counter_hw_begin();
	for (i = 0; i < 2; i++) {
		if (turn[i])
			groups_unload(&turn[i]->flexible, now[i]);
	}
	if (task)
		groups_unload(&task->pinned, now[1]);
	for (i = 0; i < 2; i++) {
		if (turn[i])
			pinned_load(turn[i], now[i]);
	}
	for (i = 0; i < 2; i++, second = !second) {
		if (turn[second])
			flexible_load(turn[second], now[second]);
	}
	perf_counter_hw_end();
}

/**
 * perf_counter_hw_pause() - unload what this CPU's PMU counts, until it is resumed
 *
 * Context: IRQs off; perf_counter_hw_halted is set.
 */
void perf_counter_hw_pause(void)
{
	struct perf_counter_ctx *here[2] = { this_cpu_ptr(&perf_counter_cpu_ctx), hw_task_ctx() };
	unsigned int i;
	u64 now;

	perf_counter_hw_begin();
	for (i = 0; i < 2 && here[i]; i++) {
		now = perf_counter_ctx_time(here[i]);
		groups_unload(&here[i]->pinned, now);
		groups_unload(&here[i]->flexible, now);
	}
	perf_counter_hw_end();
	perf_counter_backend->reset();
}

/**
 * perf_counter_hw_resume() - load it again
 *
 * Context: IRQs off; perf_counter_hw_halted is not set any more.
 */
void perf_counter_hw_resume(void)
{
	cpu_reload(hw_task_ctx());
}

/**
 * perf_counter_load() - a counter of a live context has come on
 * @counter: a counter that loads
 * @now: context time
 *
 * Context: ctx->lock held, on the CPU where the context is live.
 */
void perf_counter_load(struct perf_counter *counter, u64 now)
{
	struct perf_counter_ctx *ctx = counter->ctx;
	struct perf_counter *leader = counter->leader;
	bool hw = leader->hw_group;

	if (hw)
		perf_counter_hw_begin();
	if (!group_load(leader, now) && hw) {
		/* Pinned groups, and what fits only without others, have to be sorted in. */
		if (leader->desc->attr.pinned)
			cpu_reload(ctx->task ? ctx : hw_task_ctx());
		else
			this_cpu_ptr(&sched_cpu)->starved = true;
		perf_counter_sched_tick_start();
	}
	if (hw)
		perf_counter_hw_end();
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
	bool hw = ctx->nr_hw;

	if (hw)
		perf_counter_hw_begin();
	if (hw && ctx->task && !list_empty(&ctx->pinned) &&
	    this_cpu_ptr(&perf_counter_cpu_ctx)->nr_hw) {
		cpu_reload(ctx);
	} else {
		pinned_load(ctx, now);
		flexible_load(ctx, now);
	}
	if (unlikely(ctx->nr_user))
		user_access(true);
	if (hw)
		perf_counter_hw_end();
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
	bool hw = ctx->nr_hw;

	if (hw)
		perf_counter_hw_begin();
	groups_unload(&ctx->pinned, now);
	groups_unload(&ctx->flexible, now);
	if (unlikely(ctx->nr_user))
		user_access(false);
	if (hw)
		perf_counter_hw_end();
}

/**
 * perf_counter_load_leader() - have a leader's group loaded with its context
 * @leader: a leader in a context, in no list of groups yet
 *
 * Context: ctx->lock held; where ctx_call() calls.
 */
void perf_counter_load_leader(struct perf_counter *leader)
{
	struct perf_counter_ctx *ctx = leader->ctx;

	list_add_tail(&leader->load_node,
		      leader->desc->attr.pinned ? &ctx->pinned : &ctx->flexible);
}

/**
 * perf_counter_set_load() - have a counter loaded with its context
 * @counter: a counter in a context that did without so far
 * @now: context time
 *
 * A software counter does when a counter of the PMU joins its group: it counts
 * only while the group has room.
 *
 * Context: ctx->lock held; where ctx_call() calls.
 */
void perf_counter_set_load(struct perf_counter *counter, u64 now)
{
	/* Until now, all the time that it was on. */
	counter->time_running = perf_counter_running(counter, now);
	counter->run_stamp = now;
	WRITE_ONCE(counter->is_loaded, counter->on && counter->ctx->live_cpu >= 0);
	counter->load = true;
	counter->ctx->nr_load++;
	/* Partner: events look at @is_loaded only when the filter says so. */
	smp_wmb();
	WRITE_ONCE(counter->filter, counter->filter | FILTER_UNLOADED);
}

/* === The tick, while it is needed === */

/* True when one of the loaded counters of @ctx, which is live here, needs the tick. */
static bool ctx_tick(struct perf_counter_ctx *ctx)
{
	u64 now = perf_counter_ctx_time(ctx);
	struct perf_counter *counter;
	bool again = false;

	list_for_each_entry(counter, &ctx->counters, ctx_node) {
		if (counter->is_loaded && perf_counter_is_hw(counter->desc))
			again |= perf_counter_hw_tick(counter, now);
	}
	return again;
}

/*
 * Whoever had a slot lets those go first that follow it in its list; and so does
 * who found none though its list went first: there is no better chance.
 */
static void next_turn(struct list_head *groups, bool went_first)
{
	struct perf_counter *leader;

	list_for_each_entry(leader, groups, load_node) {
		if (leader->hw_group &&
		    (leader->is_loaded || (went_first && group_wants_load(leader)))) {
			list_move_tail(&leader->load_node, groups);
			return;
		}
	}
}

/* A tick has passed; @ctx is the CPU's context and @task the live one of its task, or NULL. */
static bool tick_here(struct perf_counter_ctx *ctx, struct perf_counter_ctx *task)
{
	struct sched_cpu *cpu = this_cpu_ptr(&sched_cpu);
	bool again;

	perf_counter_hw_begin();
	if (cpu->starved) {
		cpu->starved = false;
		next_turn(&ctx->flexible, !cpu->task_first);
		if (task)
			next_turn(&task->flexible, cpu->task_first);
		cpu->task_first = !cpu->task_first;
		cpu_reload(task);
	}
	again = ctx_tick(ctx);
	if (task)
		again |= ctx_tick(task);
	perf_counter_hw_end();
	return again || cpu->starved;
}

/**
 * perf_counter_sched_tick() - a tick has passed on this CPU
 *
 * Context: IRQs off; no ctx->lock held.
 * Return: true when something waits for the next one.
 */
bool perf_counter_sched_tick(void)
{
	struct perf_counter_ctx *ctx = this_cpu_ptr(&perf_counter_cpu_ctx);
	struct perf_counter_ctx *task;
	bool again;

	raw_spin_lock(&ctx->lock);
	task = hw_task_ctx();
	if (task) {
		raw_spin_lock_nested(&task->lock, SINGLE_DEPTH_NESTING);
		again = tick_here(ctx, task);
		raw_spin_unlock(&task->lock);
	} else {
		again = tick_here(ctx, NULL);
	}
	raw_spin_unlock(&ctx->lock);
	return again;
}

static enum hrtimer_restart cpu_tick(struct hrtimer *timer)
{
	struct sched_cpu *cpu = container_of(timer, struct sched_cpu, tick);

	/* An NMI that wants the tick from here on starts it anew. */
	WRITE_ONCE(cpu->ticking, false);
	if (!perf_counter_sched_tick())
		return HRTIMER_NORESTART;
	WRITE_ONCE(cpu->ticking, true);
	hrtimer_forward_now(timer, ns_to_ktime(TICK_NSEC));
	return HRTIMER_RESTART;
}

static void cpu_kick(struct irq_work *work)
{
	struct sched_cpu *cpu = container_of(work, struct sched_cpu, kick);

	/* A CPU that goes would leave it behind. */
	if (!cpu->online)
		WRITE_ONCE(cpu->ticking, false);
	else if (!hrtimer_active(&cpu->tick))
		hrtimer_start(&cpu->tick, ns_to_ktime(TICK_NSEC), HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * perf_counter_sched_tick_start() - something on this CPU waits for the tick
 *
 * Context: any, NMI included; preemption disabled.
 */
void perf_counter_sched_tick_start(void)
{
	struct sched_cpu *cpu = this_cpu_ptr(&sched_cpu);

	if (!READ_ONCE(cpu->ticking)) {
		WRITE_ONCE(cpu->ticking, true);
		irq_work_queue(&cpu->kick);
	}
}

/**
 * perf_counter_sched_online() - this CPU has come
 *
 * Context: its hotplug callback; no context is live here.
 */
void perf_counter_sched_online(void)
{
	this_cpu_ptr(&sched_cpu)->online = true;
}

/**
 * perf_counter_sched_offline() - this CPU is about to go
 *
 * Context: its hotplug callback; no context is live here but tasks'.
 */
void perf_counter_sched_offline(void)
{
	struct sched_cpu *cpu = this_cpu_ptr(&sched_cpu);

	WRITE_ONCE(cpu->online, false);
	/* A kick that was faster starts the tick, and that is waited for then. */
	irq_work_sync(&cpu->kick);
	hrtimer_cancel(&cpu->tick);
	WRITE_ONCE(cpu->ticking, false);
	cpu->starved = false;
	cpu->task_first = false;
}

/**
 * perf_counter_sched_init() - prepare all CPUs
 */
void __init perf_counter_sched_init(void)
{
	struct sched_cpu *cpu;
	int i;

	for_each_possible_cpu(i) {
		cpu = per_cpu_ptr(&sched_cpu, i);
		hrtimer_init(&cpu->tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		cpu->tick.function = cpu_tick;
		cpu->kick = IRQ_WORK_INIT_HARD(cpu_kick);
	}
}
