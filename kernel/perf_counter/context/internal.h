/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of context/ share with one another and with the tests.
 */
#ifndef _PERF_COUNTER_CONTEXT_INTERNAL_H
#define _PERF_COUNTER_CONTEXT_INTERNAL_H

#include <linux/lockdep.h>
#include <linux/sched/signal.h>

#include "../counter/cgroup.h"
#include "context.h"
#include "label.h"
#include "overflow.h"

/**
 * struct perf_counter_pmu_cpu - state of a PMU with limited room on a CPU
 * @pmu: the PMU
 * @disable: operation @disable of the PMU
 * @enable: operation @enable of the PMU
 * @present: the PMU may load counters on this CPU: the CPU is in @pmu->cpus, online, and not about
 *	to go offline
 * @depth: nesting of perf_counter_pmu_begin(); the PMU counts nothing while it is not 0
 * @nr_loaded: number of loaded counters of the PMU
 * @exclusive: stream_id of the leader whose group is loaded alone; 0: none
 * @user_access: the current task may read counters by itself
 * @starved: flag: an enabled group found no room
 * @first: kind of context whose flexible groups are loaded first in this turn
 * @online: the CPU is online, and @tick may be started
 * @ticking: flag: @tick is running, or @kick will start it
 * @tick: timer for rotation, frequencies and the end of throttling
 * @kick: starts @tick from an NMI
 *
 * The fields are changed only on their CPU with IRQs off; NMI handlers may change @ticking.
 */
struct perf_counter_pmu_cpu {
	const struct perf_counter_pmu	*pmu;
	void				(*disable)(void);
	bool				(*enable)(void);
	bool				present;
	unsigned int			depth;
	unsigned int			nr_loaded;
	u64				exclusive;
	bool				user_access;
	bool				starved;
	unsigned int			first;
	bool				online;
	bool				ticking;
	struct hrtimer			tick;
	struct irq_work			kick;
};

/*
 * The contexts that may be live on a CPU, in the order of their priority. The kind of a control
 * group's context is the level of the group.
 */
enum {
	LIVE_CPU,
	LIVE_TASK = PERF_COUNTER_CGROUP_LEVEL_MAX + 1,
	LIVE_KINDS
};

/* Return the kinds of contexts that may be live on this CPU, a bit for each. IRQs off. */
static inline unsigned long live_kinds(void)
{
	return BIT(LIVE_CPU) | perf_counter_cgroup_levels() | BIT(LIVE_TASK);
}

/* Remove the kind of the highest priority from @kinds, which has one, and return it. */
static inline unsigned int take_kind(unsigned long *kinds)
{
	unsigned int kind = __ffs(*kinds);

	*kinds &= *kinds - 1;
	return kind;
}

/* Return the context of @kind that is live on this CPU, or NULL. IRQs off. */
static inline struct perf_counter_ctx *live_ctx(unsigned int kind)
{
	struct perf_counter_ctx *ctx;

	if (kind == LIVE_CPU)
		ctx = this_cpu_ptr(&perf_counter_cpu_ctx);
	else if (kind == LIVE_TASK)
		ctx = perf_counter_task_ctx(current);
	else
		ctx = perf_counter_cgroup_ctx(kind);
	/* The CPU's context is not live while the CPU comes online or goes offline. */
	return ctx && READ_ONCE(ctx->live_cpu) == smp_processor_id() ? ctx : NULL;
}

/* Assert that the caller may change the state of the counters of @ctx. */
static inline void perf_counter_ctx_assert_this_cpu(struct perf_counter_ctx *ctx)
{
	lockdep_assert_irqs_disabled();
	lockdep_assert(lockdep_is_held(&ctx->lock) ||
		       READ_ONCE(ctx->live_cpu) == raw_smp_processor_id());
}

/*
 * Enable @counter, which is disabled, from context time @now on. Locking: see
 * perf_counter_ctx_assert_this_cpu().
 */
static inline void perf_counter_state_on(struct perf_counter *counter, u64 now)
{
	counter->times.enabled_stamp = now;
	if (unlikely(counter->wants_enable_cb))
		counter->desc->pmu->enabled_changed(counter, true);
	/* Pairs with the acquire of @group_enabled in events, which then may read the stamp. */
	smp_store_release(&counter->group_enabled, true);
}

/* Disable @counter, which is enabled and not loaded, from context time @now on. */
static inline void perf_counter_state_off(struct perf_counter *counter, u64 now)
{
	if (unlikely(counter->wants_enable_cb))
		counter->desc->pmu->enabled_changed(counter, false);
	WRITE_ONCE(counter->group_enabled, false);
	counter->times.enabled += perf_counter_since(now, counter->times.enabled_stamp);
}

/**
 * perf_counter_walk_is_over() - Pause in the middle of a walk over a descriptor's counters
 * @desc: the descriptor
 *
 * The walk may be long: a descriptor has one counter for each task that has inherited it.
 *
 * Context: may sleep.
 * Return: true when the walk should stop, because the current program is being killed. A walk over
 * the counters of a descriptor of the kernel never stops.
 */
static inline bool perf_counter_walk_is_over(const struct perf_counter_desc *desc)
{
	cond_resched();
	return !desc->overflow && fatal_signal_pending(current);
}

/*
 * Return true if @counter is the last counter of @desc, or the walk should stop after it. See
 * perf_counter_walk_is_over().
 */
static inline bool perf_counter_walk_ends(const struct perf_counter_desc *desc,
					  const struct perf_counter *counter)
{
	return list_is_last(&counter->desc_node, &desc->counters) ||
	       perf_counter_walk_is_over(desc);
}

/* task_ctx.c */
void perf_counter_drop_task(struct task_struct *task);

/* inherit.c */
void perf_counter_wait_for_fork(struct task_struct *task);

/**
 * struct perf_counter_sum - sum of the counters of a descriptor or a group
 * @counter: counter to add next; a leader if @counts is set
 * @value: sum so far
 * @counts: for a group, sums of the members' counts, by slot; else NULL
 */
struct perf_counter_sum {
	struct perf_counter		*counter;
	struct perf_counter_value	value;
	u64				*counts;
};

/* read.c */
void perf_counter_sum_fn(void *arg);
struct perf_counter_value perf_counter_exited_value(struct perf_counter_desc *desc);
void perf_counter_exited_counts(struct perf_counter_desc *leader, u64 *counts);
u64 __ring *perf_counter_put_live(u64 __ring *at, u64 format, struct perf_counter *counter);
u64 __ring *perf_counter_put_sums(u64 __ring *at, u64 format, struct perf_counter_desc *desc,
				  const struct perf_counter_value *value, const u64 *counts);
bool perf_counter_desc_failed(struct perf_counter_desc *desc);
int perf_counter_words_to_user(char __user *buf, const u64 *words, size_t size);

/* desc.c */
u64 perf_counter_new_ids(unsigned int nr);
void perf_counter_disown(struct task_struct *task);

/* group.c */
bool perf_counter_group_in_other_ctx(struct perf_counter_desc *leader,
				     const struct perf_counter_ctx *ctx);
int perf_counter_group_check(struct perf_counter_desc *leader, struct perf_counter_desc *desc,
			     struct perf_counter_ctx *ctx);
void perf_counter_group_join(struct perf_counter_desc *leader, struct perf_counter_desc *desc);

/* refresh.c */
void perf_counter_limit_init(struct perf_counter_desc *desc);
void perf_counter_limit_sync(struct perf_counter_desc *desc);

/* counter.c */
void perf_counter_init_counter(struct perf_counter *counter, struct perf_counter_desc *desc,
			       u64 stream_id);
void perf_counter_attach(struct perf_counter_ctx *ctx, struct perf_counter *counter,
			 struct perf_counter *leader);
void perf_counter_detach(struct perf_counter *counter);
bool perf_counter_enable_unloaded(struct perf_counter *counter, u64 now);

/* ctx.c */
void perf_counter_ctx_init(struct perf_counter_ctx *ctx, struct task_struct *task);
void perf_counter_ctx_put(struct perf_counter_ctx *ctx);
struct perf_counter_pmu_ctx *perf_counter_pmu_ctx_find(struct perf_counter_pmu_ctx *pmu_ctx,
						       const struct perf_counter_pmu *pmu);
int perf_counter_event_hash_add(struct perf_counter_ctx *ctx);
int perf_counter_pmu_ctx_add(struct perf_counter_ctx *ctx, const struct perf_counter_pmu *pmu);
void perf_counter_pmu_ctx_free(struct perf_counter_ctx *ctx);
DECLARE_PER_CPU(u64, perf_counter_last_switch);
u64 perf_counter_switch_clock(void);

/* task_state.c */
extern unsigned int perf_counter_state_users;
int perf_counter_states_open(void);
void perf_counter_states_close(void);
void perf_counter_state_in_block(struct task_struct *child, struct perf_counter_task *state,
				 struct perf_counter_ctx *ctx);
void perf_counter_state_fork(struct task_struct *child);

/* task_ctx.c */
struct perf_counter_ctx *perf_counter_task_ctx_get(struct task_struct *task);
void perf_counter_ctx_enable_on_exec(struct perf_counter_ctx *ctx);

/* call_stack.c */
int perf_counter_stack_give(struct task_struct *task);
int perf_counter_branches_open(struct perf_counter_desc *desc);
void perf_counter_branches_close(const struct perf_counter_desc *desc);
void perf_counter_stack_fork(struct task_struct *child);
void perf_counter_stack_exit(void);

/* off_cpu.c */
void perf_counter_off_cpu_stop(u64 clock);
void perf_counter_off_cpu_new(struct task_struct *child);
u64 perf_counter_off_cpu_count(struct perf_counter_ctx *ctx);
void perf_counter_off_cpu_start(u64 clock, unsigned long ip, const void *frame);

/* cgroup.c */
#ifdef CONFIG_CGROUPS
void perf_counter_cgroup_sched_out(struct task_struct *next);
void perf_counter_cgroup_sched_in(struct task_struct *task);
void perf_counter_cgroup_online(void);
struct perf_counter_ctx *perf_counter_cgroup_cpu_ctx(struct perf_counter_cgroup *counted, int cpu);
#else
static inline void perf_counter_cgroup_sched_out(struct task_struct *next) { }
static inline void perf_counter_cgroup_sched_in(struct task_struct *task) { }
static inline void perf_counter_cgroup_online(void) { }
static inline struct perf_counter_ctx *
perf_counter_cgroup_cpu_ctx(struct perf_counter_cgroup *counted, int cpu)
{
	return NULL;
}
#endif

/* switch.c */
void perf_counter_ctx_activate(struct perf_counter_ctx *ctx);

/* pmu_registry.c */
int perf_counter_find_pmu(struct perf_counter_desc *desc);
void perf_counter_pmu_come(struct perf_counter_pmu_cpu *pmu_cpu);
void perf_counter_pmu_leave(struct perf_counter_pmu_cpu *pmu_cpu);
void perf_counter_pmus_online(void);
void perf_counter_pmus_offline(void);

/* sched.c */
void perf_counter_pmu_reload(struct perf_counter_pmu_cpu *pmu_cpu);
void perf_counter_pmu_go_on_this_cpu(struct perf_counter_pmu_cpu *pmu_cpu);
void perf_counter_pmu_unload(struct perf_counter_pmu_cpu *pmu_cpu);
void perf_counter_load_enabled(struct perf_counter *counter, u64 now);
void perf_counter_ctx_load(struct perf_counter_ctx *ctx, u64 now);
void perf_counter_ctx_reload(struct perf_counter_ctx *ctx, u64 now);
void perf_counter_ctx_unload(struct perf_counter_ctx *ctx, u64 now);
bool perf_counter_tick(struct perf_counter_pmu_cpu *pmu_cpu);
void perf_counter_tick_init(struct perf_counter_pmu_cpu *pmu_cpu);
void perf_counter_tick_online(struct perf_counter_pmu_cpu *pmu_cpu);
void perf_counter_tick_offline(struct perf_counter_pmu_cpu *pmu_cpu);

/* user_page.c */
void perf_counter_update_user_pages(struct perf_counter_pmu_cpu *pmu_cpu);
void perf_counter_set_user(struct perf_counter *counter, bool user);
void perf_counter_user_page_unload(struct perf_counter *counter, u64 now);

/**
 * perf_counter_pmu_ctx() - Find the groups of a PMU in a context
 * @ctx: the context
 * @pmu: the PMU; NULL for groups that always have room
 *
 * Context: any in which @ctx cannot be freed.
 * Return: the entry; NULL if the context never had groups of @pmu.
 */
static inline struct perf_counter_pmu_ctx *perf_counter_pmu_ctx(struct perf_counter_ctx *ctx,
								const struct perf_counter_pmu *pmu)
{
	/* Pairs with the release in pmu_ctx_link(). */
	struct perf_counter_pmu_ctx *pmu_ctx = smp_load_acquire(&ctx->pmus);

	if (!pmu_ctx || likely(pmu_ctx->pmu == pmu))
		return pmu_ctx;
	return perf_counter_pmu_ctx_find(pmu_ctx, pmu);
}

/**
 * perf_counter_pmu_ctx_prepare() - Make sure that a context has an entry for a PMU's groups
 * @ctx: the context
 * @pmu: the PMU; NULL for groups that always have room
 *
 * Context: may sleep, unless @pmu is the context's first PMU, or has an entry already.
 * Return: 0, or -ENOMEM.
 */
static inline int perf_counter_pmu_ctx_prepare(struct perf_counter_ctx *ctx,
					       const struct perf_counter_pmu *pmu)
{
	return perf_counter_pmu_ctx(ctx, pmu) ? 0 : perf_counter_pmu_ctx_add(ctx, pmu);
}

/**
 * perf_counter_ctx_prepare() - Allocate the tables that a descriptor's counters need in a context
 * @ctx: the context
 * @desc: the descriptor
 *
 * Context: may sleep, unless the context has the tables already.
 * Return: 0, or -ENOMEM.
 */
static inline int perf_counter_ctx_prepare(struct perf_counter_ctx *ctx,
					   const struct perf_counter_desc *desc)
{
	if (desc->needs_load) {
		int err = perf_counter_pmu_ctx_prepare(ctx, perf_counter_scheduled_pmu(desc->pmu));

		if (err)
			return err;
	}
	return desc->event_id && !READ_ONCE(ctx->hash) ? perf_counter_event_hash_add(ctx) : 0;
}

/*
 * Allow or forbid the current task to read counters by itself. While the PMU is halted, its
 * registers may belong to perf_events: the task must not read them, and they are not changed.
 */
static inline void perf_counter_user_access(struct perf_counter_pmu_cpu *pmu_cpu, bool user)
{
	user = user && !READ_ONCE(pmu_cpu->pmu->halted);
	if (!user && !pmu_cpu->user_access)
		return;
	pmu_cpu->user_access = user;
	pmu_cpu->pmu->set_user_access(user);
}

/**
 * perf_counter_pmu_begin() - Stop a PMU on this CPU while its counters are changed
 * @pmu_cpu: the PMU, on this CPU
 *
 * Calls may be nested.
 *
 * Context: IRQs off.
 */
static inline void perf_counter_pmu_begin(struct perf_counter_pmu_cpu *pmu_cpu)
{
	lockdep_assert_irqs_disabled();
	if (!pmu_cpu->depth++)
		pmu_cpu->disable();
}

/**
 * perf_counter_pmu_end() - Let a PMU on this CPU count again after perf_counter_pmu_begin()
 * @pmu_cpu: the PMU, on this CPU
 *
 * Context: IRQs off.
 */
static inline void perf_counter_pmu_end(struct perf_counter_pmu_cpu *pmu_cpu)
{
	lockdep_assert_irqs_disabled();
	if (!--pmu_cpu->depth && pmu_cpu->enable() && unlikely(pmu_cpu->user_access))
		perf_counter_update_user_pages(pmu_cpu);
}

/**
 * perf_counter_ctx_start() - Start a context on this CPU
 * @ctx: a context that is not live
 * @clock: perf_counter_clock() now
 *
 * Context: IRQs off, ctx->lock held.
 */
static __always_inline void perf_counter_ctx_start(struct perf_counter_ctx *ctx, u64 clock)
{
	u64 now = ctx->clock_frozen;

	WRITE_ONCE(ctx->clock_offset, clock - now);
	/* Set the offset first: events read live_cpu before the offset. */
	barrier();
	WRITE_ONCE(ctx->live_cpu, smp_processor_id());
	if (ctx->nr_needs_load)
		perf_counter_ctx_load(ctx, now);
}

/* Stop @ctx, which is live, at context time @now. Context: see perf_counter_ctx_stop(). */
static __always_inline void perf_counter_ctx_stop_at(struct perf_counter_ctx *ctx, u64 now)
{
	/*
	 * Events may use the new clock_frozen at once: perf_counter_time_at() takes the later of
	 * both times.
	 */
	WRITE_ONCE(ctx->clock_frozen, now);
	if (ctx->nr_needs_load)
		perf_counter_ctx_unload(ctx, now);
	barrier();
	WRITE_ONCE(ctx->live_cpu, CTX_STOPPED);
}

/**
 * perf_counter_ctx_stop() - Stop a context, if it is live
 * @ctx: the context
 *
 * Context: IRQs off, ctx->lock held; on the CPU where the context runs, or anywhere if it has no
 * counter that is loaded.
 */
static inline void perf_counter_ctx_stop(struct perf_counter_ctx *ctx)
{
	if (ctx->live_cpu >= 0)
		perf_counter_ctx_stop_at(ctx, perf_counter_ctx_time(ctx));
}

#endif /* _PERF_COUNTER_CONTEXT_INTERNAL_H */
