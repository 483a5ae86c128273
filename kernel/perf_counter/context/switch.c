// SPDX-License-Identifier: GPL-2.0
/*
 * The work of a context switch.
 *
 * A software event occurs in the task that it counts for, and finds its counters through that
 * task. A switch therefore only starts and stops the clocks of contexts, and loads and unloads
 * the counters with needs_load; see sched.c.
 */

#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>

#include "../counter/recorder.h"
#include "internal.h"

/*
 * Stop @ctx, the context of the current task, which may be NULL. @clock is perf_counter_clock(),
 * or 0 if the clock has not been read yet. IRQs off.
 */
static __always_inline void ctx_switch_out(struct perf_counter_ctx *ctx, u64 clock)
{
	if (!ctx) {
		__this_cpu_write(perf_counter_last_switch, clock);
		return;
	}
	raw_spin_lock(&ctx->lock);
	if (likely(ctx->live_cpu >= 0)) {
		/* Do not use perf_counter_clock(), which would disable preemption once more. */
		clock = clock ?: local_clock_noinstr();
		__this_cpu_write(perf_counter_last_switch, clock);
		perf_counter_ctx_stop_at(ctx, perf_counter_time_at(clock, ctx->clock_offset,
								   ctx->clock_frozen));
	} else {
		__this_cpu_write(perf_counter_last_switch, clock);
	}
	raw_spin_unlock(&ctx->lock);
}

/*
 * Start @ctx, the context of the current task. If @switched is set, it starts at the clock that
 * the current switch has read. IRQs off.
 */
static __always_inline void ctx_switch_in(struct perf_counter_ctx *ctx, bool switched)
{
	u64 clock = 0;

	raw_spin_lock(&ctx->lock);
	if (likely(ctx->live_cpu == CTX_STOPPED)) {
		if (switched)
			clock = __this_cpu_read(perf_counter_last_switch);
		perf_counter_ctx_start(ctx, clock ?: perf_counter_clock());
	}
	raw_spin_unlock(&ctx->lock);
}

/* Stop @ctx, which may be NULL, while a counter counts time off the CPU. IRQs off. */
static noinline void switch_out_off_cpu(struct perf_counter_ctx *ctx)
{
	u64 clock = perf_counter_clock();

	perf_counter_off_cpu_stop(clock);
	ctx_switch_out(ctx, clock);
}

/* Stop @ctx, which may be NULL, while a counter counts or records switches. IRQs off. */
static noinline void sched_out_slow(struct perf_counter_ctx *ctx, struct task_struct *next,
				    unsigned long ip)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNT_SW_CONTEXT_SWITCHES]))
		perf_counter_sw_event_here(PERF_COUNT_SW_CONTEXT_SWITCHES, ip);
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_BRANCHES]))
		perf_counter_recorder_sched_out(current);
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_SW_OFF_CPU]))
		switch_out_off_cpu(ctx);
	else
		ctx_switch_out(ctx, 0);
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_SWITCH_RECORD]))
		perf_counter_record_switch(next, true);
	/* Stop the control groups last, so that they get the events of the switch. */
	if (perf_counter_cgroups_watched())
		perf_counter_cgroup_sched_out(next);
}

/**
 * __perf_counter_sched_out() - Stop the counters of the task that stops running
 * @task: the current task
 * @next: task that runs next
 *
 * Context: IRQs off, rq->lock held.
 */
void __perf_counter_sched_out(struct task_struct *task, struct task_struct *next)
{
	struct perf_counter_ctx *ctx = perf_counter_task_ctx(task);

	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_SWITCH]))
		sched_out_slow(ctx, next, _RET_IP_);
	else
		ctx_switch_out(ctx, 0);
}

/* Start @ctx, which may be NULL, and count the time off the CPU. IRQs off. */
static noinline void switch_in_off_cpu(struct perf_counter_ctx *ctx, unsigned long ip,
				       const void *frame)
{
	u64 clock = 0;

	if (ctx) {
		raw_spin_lock(&ctx->lock);
		if (ctx->live_cpu == CTX_STOPPED) {
			perf_counter_ctx_start(ctx, __this_cpu_read(perf_counter_last_switch) ?:
						    perf_counter_clock());
			clock = perf_counter_off_cpu_count(ctx);
		}
		raw_spin_unlock(&ctx->lock);
	}
	perf_counter_off_cpu_start(clock ?: perf_counter_clock(), ip, frame);
}

static noinline void sched_in_told(struct task_struct *prev, struct perf_counter_ctx *ctx,
				   unsigned long ip)
{
	struct perf_counter_task *state;

	if (perf_counter_cgroups_watched())
		perf_counter_cgroup_sched_in(current);
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_SWITCH_RECORD]))
		perf_counter_record_switch(prev, false);
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_SW_OFF_CPU]))
		switch_in_off_cpu(ctx, ip, __builtin_frame_address(0));
	else if (ctx)
		ctx_switch_in(ctx, true);
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_BRANCHES]))
		perf_counter_recorder_sched_in(current);
	state = perf_counter_task_state(current);
	if (state && state->migrated) {
		state->migrated = false;
		perf_counter_sw_event_here(PERF_COUNT_SW_CPU_MIGRATIONS, ip);
	}
}

/**
 * __perf_counter_task_migrate() - Store that a task moves to another CPU
 * @task: the task
 *
 * Context: IRQs off, task->pi_lock or rq->lock held.
 */
void __perf_counter_task_migrate(struct task_struct *task)
{
	struct perf_counter_task *state = perf_counter_task_state(task);

	lockdep_assert_irqs_disabled();
	if (state)
		state->migrated = true;
}

/**
 * __perf_counter_sched_in() - Start the counters of the task that starts running
 * @prev: task that ran before
 * @task: the current task
 *
 * Context: IRQs off, rq->lock held.
 */
void __perf_counter_sched_in(struct task_struct *prev, struct task_struct *task)
{
	struct perf_counter_ctx *ctx = perf_counter_task_ctx(task);

	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_SWITCH]))
		sched_in_told(prev, ctx, _RET_IP_);
	else if (ctx)
		ctx_switch_in(ctx, true);
}

struct ctx_activation {
	struct perf_counter_ctx	*ctx;
	bool			moved;
};

static void ctx_activate_here(void *info)
{
	struct ctx_activation *activation = info;
	struct perf_counter_ctx *ctx = activation->ctx;

	if (task_cpu(ctx->task) != smp_processor_id()) {
		activation->moved = true;
		return;
	}
	if (ctx->task == current)
		ctx_switch_in(ctx, false);
}

/**
 * perf_counter_ctx_activate() - Start the context of a task that got its first counter
 * @ctx: context of the task
 *
 * The context starts now if the task is running, otherwise when the task is scheduled in.
 *
 * Context: may sleep.
 */
void perf_counter_ctx_activate(struct perf_counter_ctx *ctx)
{
	struct ctx_activation activation = { .ctx = ctx };

	if (ctx->task == current) {
		guard(irq)();
		ctx_switch_in(ctx, false);
		return;
	}
	/*
	 * Store the context before reading the task's CPU. Pairs with the scheduler's full barrier
	 * between choosing the task's CPU and the hook that reads the context. If the CPU read
	 * here is outdated, the hook sees the context. If it is current, the IPI finds the task
	 * running, or comes before the hook.
	 */
	smp_mb();
	do {
		activation.moved = false;
		if (smp_call_function_single(task_cpu(ctx->task), ctx_activate_here, &activation,
					     true))
			return;
	} while (activation.moved);
}
