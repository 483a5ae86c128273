// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts: their creation and end, the tables that are allocated when the first counter needs
 * them, calls of a function on the CPU where a context runs, and the time of a context switch.
 */

#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "internal.h"

/*
 * Time when the previous task stopped, which is also when the next task starts: a switch reads the
 * clock once. 0 if the previous task did not need the clock. Each switch begins by writing this
 * time; perf_counter_hooks_get() waits for switches that began while the hook was off.
 */
DEFINE_PER_CPU(u64, perf_counter_last_switch);

/**
 * perf_counter_switch_clock() - Return the time of the current context switch
 *
 * Context: the hooks of a switch, after the context of the task that stops.
 * Return: perf_counter_clock() that the switch has read, or reads now.
 */
u64 perf_counter_switch_clock(void)
{
	u64 clock = __this_cpu_read(perf_counter_last_switch);

	if (!clock) {
		clock = perf_counter_clock();
		__this_cpu_write(perf_counter_last_switch, clock);
	}
	return clock;
}

/**
 * perf_counter_ctx_init() - Prepare a context
 * @ctx: a zeroed context
 * @task: task of the context; NULL for the context of a CPU or of a control group
 */
void perf_counter_ctx_init(struct perf_counter_ctx *ctx, struct task_struct *task)
{
	ctx->task = task;
	raw_spin_lock_init(&ctx->lock);
	ctx->live_cpu = task ? CTX_EMPTY : CTX_STOPPED;
	INIT_LIST_HEAD(&ctx->sideband);
	INIT_LIST_HEAD(&ctx->counters);
	mutex_init(&ctx->mutex);
	refcount_set(&ctx->refs, 1);
}

/**
 * perf_counter_ctx_put() - Drop a reference to a task's context
 * @ctx: the context
 *
 * Context: any, without ctx->lock and without a runqueue's lock.
 */
void perf_counter_ctx_put(struct perf_counter_ctx *ctx)
{
	if (!refcount_dec_and_test(&ctx->refs))
		return;
	if (ctx->pmus)
		perf_counter_pmu_ctx_free(ctx);
	if (ctx->hash)
		kfree_rcu(ctx->hash, rcu);
	/* A forked child has its context first in its struct child_block; see inherit.c. */
	kvfree_rcu(ctx, rcu);
}

struct ctx_call {
	struct perf_counter_ctx	*ctx;
	void			(*fn)(void *arg);
	void			*arg;
	bool			done;
};

static void ctx_call_here(void *info)
{
	struct ctx_call *call = info;

	raw_spin_lock(&call->ctx->lock);
	if (call->ctx->live_cpu == smp_processor_id()) {
		call->fn(call->arg);
		call->done = true;
	}
	raw_spin_unlock(&call->ctx->lock);
}

/* Call @fn on @cpu. Return false if @ctx is not live on @cpu any more, or the CPU is offline. */
static noinline bool ctx_call_there(struct perf_counter_ctx *ctx, int cpu, void (*fn)(void *arg),
				    void *arg)
{
	struct ctx_call call = { .ctx = ctx, .fn = fn, .arg = arg };

	smp_call_function_single(cpu, ctx_call_here, &call, true);
	return call.done;
}

/**
 * perf_counter_ctx_call() - Call a function on the CPU where a context runs
 * @ctx: the context
 * @fn: function, called with ctx->lock held and IRQs off
 * @arg: argument of @fn
 * @atomic: the context's task must not run on another CPU during the call
 *
 * The function is called on this CPU, except if the context runs on another CPU and @atomic is set
 * or the context has counters that are loaded and unloaded: then it is called on that other CPU.
 *
 * Context: IRQs on.
 */
void perf_counter_ctx_call(struct perf_counter_ctx *ctx, void (*fn)(void *arg), void *arg,
			   bool atomic)
{
	int cpu;

	do {
		raw_spin_lock_irq(&ctx->lock);
		cpu = ctx->live_cpu;
		if (cpu < 0 || cpu == smp_processor_id() || (!atomic && !ctx->nr_needs_load)) {
			fn(arg);
			raw_spin_unlock_irq(&ctx->lock);
			return;
		}
		raw_spin_unlock_irq(&ctx->lock);
	} while (!ctx_call_there(ctx, cpu, fn, arg));
}

/**
 * perf_counter_event_hash_add() - Allocate the table from event ids to counters of a context
 * @ctx: a context that had no such table
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int perf_counter_event_hash_add(struct perf_counter_ctx *ctx)
{
	/*
	 * Use a large table for the few contexts of CPUs: they may have counters of all
	 * tracepoints.
	 */
	u32 nr = ctx->task || ctx->cgroup ? 32 : 1024;
	struct perf_counter_event_hash *hash;

	hash = kzalloc(struct_size(hash, lists, nr), GFP_KERNEL_ACCOUNT);
	if (!hash)
		return -ENOMEM;
	hash->mask = nr - 1;
	/*
	 * Another CPU may have added a table first. Pairs with the smp_load_acquire() of
	 * ctx->hash.
	 */
	if (cmpxchg_release(&ctx->hash, NULL, hash))
		kfree(hash);
	return 0;
}

/* === The groups of each PMU === */

/**
 * perf_counter_pmu_ctx_find() - Find the entry of a PMU in a context's list
 * @pmu_ctx: first entry to look at
 * @pmu: the PMU; NULL for groups that always have room
 *
 * Context: any in which the context cannot be freed.
 * Return: the entry; NULL if the context has none for @pmu.
 */
struct perf_counter_pmu_ctx *perf_counter_pmu_ctx_find(struct perf_counter_pmu_ctx *pmu_ctx,
						       const struct perf_counter_pmu *pmu)
{
	while (pmu_ctx && pmu_ctx->pmu != pmu) {
		/* Pairs with the release in pmu_ctx_link(). */
		pmu_ctx = smp_load_acquire(&pmu_ctx->next);
	}
	return pmu_ctx;
}

/*
 * Add an entry for @pmu to @ctx: @pmu_ctx, or the context's embedded first entry if @pmu_ctx is
 * NULL. Return false if @pmu has an entry already, or the embedded entry is in use. ctx->lock
 * held.
 */
static bool pmu_ctx_link(struct perf_counter_ctx *ctx, const struct perf_counter_pmu *pmu,
			 struct perf_counter_pmu_ctx *pmu_ctx)
{
	struct perf_counter_pmu_ctx **end = &ctx->pmus;

	lockdep_assert_held(&ctx->lock);
	if (perf_counter_pmu_ctx(ctx, pmu) || (!pmu_ctx && ctx->pmus))
		return false;
	if (!pmu_ctx)
		pmu_ctx = &ctx->first_pmu;
	pmu_ctx->pmu = pmu;
	INIT_LIST_HEAD(&pmu_ctx->pinned);
	INIT_LIST_HEAD(&pmu_ctx->flexible);
	while (*end)
		end = &(*end)->next;
	/* Pairs with the acquires in perf_counter_pmu_ctx() and perf_counter_pmu_ctx_find(). */
	smp_store_release(end, pmu_ctx);
	return true;
}

/**
 * perf_counter_pmu_ctx_add() - Add an entry for the groups of a PMU to a context
 * @ctx: the context
 * @pmu: the PMU; NULL for groups that always have room
 *
 * Context: may sleep, unless @pmu is the context's first PMU.
 * Return: 0, or -ENOMEM.
 */
int perf_counter_pmu_ctx_add(struct perf_counter_ctx *ctx, const struct perf_counter_pmu *pmu)
{
	struct perf_counter_pmu_ctx *pmu_ctx = NULL;
	unsigned long flags;
	bool linked;

	do {
		raw_spin_lock_irqsave(&ctx->lock, flags);
		linked = pmu_ctx_link(ctx, pmu, pmu_ctx);
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
		if (linked)
			return 0;
		if (!pmu_ctx)
			pmu_ctx = kzalloc(sizeof(*pmu_ctx), GFP_KERNEL_ACCOUNT);
		if (!pmu_ctx)
			return -ENOMEM;
	} while (!perf_counter_pmu_ctx(ctx, pmu));
	kfree(pmu_ctx);
	return 0;
}

/**
 * perf_counter_pmu_ctx_free() - Free the entries of a context's PMUs
 * @ctx: a context without users
 *
 * Context: any.
 */
noinline void perf_counter_pmu_ctx_free(struct perf_counter_ctx *ctx)
{
	struct perf_counter_pmu_ctx *pmu_ctx, *next;

	for (pmu_ctx = ctx->pmus; pmu_ctx; pmu_ctx = next) {
		next = pmu_ctx->next;
		if (pmu_ctx != &ctx->first_pmu)
			kfree(pmu_ctx);
	}
}
