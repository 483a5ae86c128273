// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts: where the counters of a task, or of a CPU, are, and how to do something to
 * them wherever the context runs.
 */

#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "internal.h"

/**
 * perf_counter_ctx_init() - prepare a context
 * @ctx: all zero
 * @task: whose it is, NULL for a CPU's
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
 * perf_counter_ctx_put() - drop a reference to a task's context
 * @ctx: the context
 *
 * Context: any but where ctx->lock or a runqueue's lock is held.
 */
void perf_counter_ctx_put(struct perf_counter_ctx *ctx)
{
	if (!refcount_dec_and_test(&ctx->refs))
		return;
	if (ctx->pmus)
		perf_counter_pmu_ctx_free(ctx);
	if (ctx->hash)
		kfree_rcu(ctx->hash, rcu);
	/* With heirs, it is the beginning of a struct inherited: see inherit.c. */
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

/* Call @fn on @cpu if @ctx is live there still, and the CPU is: was it called? */
static noinline bool ctx_call_there(struct perf_counter_ctx *ctx, int cpu, void (*fn)(void *arg),
				    void *arg)
{
	struct ctx_call call = { .ctx = ctx, .fn = fn, .arg = arg };

	smp_call_function_single(cpu, ctx_call_here, &call, true);
	return call.done;
}

/**
 * perf_counter_ctx_call() - call a function where a context is
 * @ctx: the context
 * @fn: the function, called with ctx->lock held and IRQs off
 * @arg: its argument
 * @atomic: the task of the context must not be running meanwhile elsewhere
 *
 * The function is called on the CPU where the context runs, when it must not
 * be running elsewhere or has counters that are started and stopped on their
 * CPU; and here when it runs nowhere or need not be stopped.
 *
 * Context: may be called with IRQs on alone.
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
 * perf_counter_event_hash_add() - the second half of perf_counter_ctx_prepare()
 * @ctx: as there
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int perf_counter_event_hash_add(struct perf_counter_ctx *ctx)
{
	/* The contexts of CPUs are few, and may have to do with all events that there are. */
	u32 nr = ctx->task ? 32 : 1024;
	struct perf_counter_event_hash *hash;

	hash = kzalloc(struct_size(hash, lists, nr), GFP_KERNEL_ACCOUNT);
	if (!hash)
		return -ENOMEM;
	hash->mask = nr - 1;
	/* Unless somebody was faster. Partner: the acquire of an event. */
	if (cmpxchg_release(&ctx->hash, NULL, hash))
		kfree(hash);
	return 0;
}

/* === What a context has of PMUs === */

/**
 * perf_counter_pmu_ctx_find() - the second half of perf_counter_pmu_ctx()
 * @of_pmu: the first of the context
 * @pmu: as there
 *
 * Context: as there.
 * Return: likewise.
 */
struct perf_counter_pmu_ctx *perf_counter_pmu_ctx_find(struct perf_counter_pmu_ctx *of_pmu,
						       const struct perf_counter_pmu *pmu)
{
	while (of_pmu && of_pmu->pmu != pmu) {
		/* Partner: the release in pmu_ctx_link(). */
		of_pmu = smp_load_acquire(&of_pmu->next);
	}
	return of_pmu;
}

/* Unless somebody was faster, add @of_pmu to @ctx, or NULL: its first. ctx->lock held. */
static bool pmu_ctx_link(struct perf_counter_ctx *ctx, const struct perf_counter_pmu *pmu,
			 struct perf_counter_pmu_ctx *of_pmu)
{
	struct perf_counter_pmu_ctx **end = &ctx->pmus;

	lockdep_assert_held(&ctx->lock);
	if (perf_counter_pmu_ctx(ctx, pmu) || (!of_pmu && ctx->pmus))
		return false;
	if (!of_pmu)
		of_pmu = &ctx->first_pmu;
	of_pmu->pmu = pmu;
	INIT_LIST_HEAD(&of_pmu->pinned);
	INIT_LIST_HEAD(&of_pmu->flexible);
	while (*end)
		end = &(*end)->next;
	/* Partner: the acquires in perf_counter_pmu_ctx() and its second half. */
	smp_store_release(end, of_pmu);
	return true;
}

/**
 * perf_counter_pmu_ctx_add() - the second half of perf_counter_pmu_ctx_prepare()
 * @ctx: as there
 * @pmu: likewise
 *
 * Context: as there.
 * Return: likewise.
 */
int perf_counter_pmu_ctx_add(struct perf_counter_ctx *ctx, const struct perf_counter_pmu *pmu)
{
	struct perf_counter_pmu_ctx *of_pmu = NULL;
	unsigned long flags;
	bool linked;

	do {
		raw_spin_lock_irqsave(&ctx->lock, flags);
		linked = pmu_ctx_link(ctx, pmu, of_pmu);
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
		if (linked)
			return 0;
		if (!of_pmu)
			of_pmu = kzalloc(sizeof(*of_pmu), GFP_KERNEL_ACCOUNT);
		if (!of_pmu)
			return -ENOMEM;
	} while (!perf_counter_pmu_ctx(ctx, pmu));
	kfree(of_pmu);
	return 0;
}

/**
 * perf_counter_pmu_ctx_free() - free what a context has of PMUs
 * @ctx: the context, which nobody uses any more
 *
 * Context: any.
 */
noinline void perf_counter_pmu_ctx_free(struct perf_counter_ctx *ctx)
{
	struct perf_counter_pmu_ctx *of_pmu, *next;

	for (of_pmu = ctx->pmus; of_pmu; of_pmu = next) {
		next = of_pmu->next;
		if (of_pmu != &ctx->first_pmu)
			kfree(of_pmu);
	}
}
