// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a limit: REFRESH sets the number of overflows that a descriptor may have. The last one
 * disables the descriptor, and poll() then reports EPOLLHUP.
 */

#include <linux/irq_work.h>
#include <linux/sched/signal.h>
#include <linux/workqueue.h>

#include "internal.h"

/* Disable @counter, whose limit was used up, unless REFRESH has set a new limit meanwhile. */
static void stop_at_limit_fn(void *arg)
{
	struct perf_counter *counter = arg;

	if (!atomic_read(&counter->desc->refresh.limit))
		perf_counter_set_enabled(counter, false);
}

/* Disable @counter from any CPU. Return false if that has to be done on the CPU of its context. */
static bool counter_stop_at_limit(struct perf_counter *counter)
{
	struct perf_counter_ctx *ctx;
	bool stopped = true;
	unsigned long flags;

	guard(rcu)();
	ctx = READ_ONCE(counter->ctx);
	if (!ctx)
		return true;
	raw_spin_lock_irqsave(&ctx->lock, flags);
	/*
	 * The counter may have left the context before the lock was taken, but cannot leave it
	 * from here on.
	 */
	if (counter->ctx == ctx) {
		stopped = !ctx->nr_needs_load;
		if (stopped)
			stop_at_limit_fn(counter);
	}
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return stopped;
}

/* Wake up pollers after all counters of @desc have stopped at its limit, and send SIGIO once. */
static void desc_hang_up(struct perf_counter_desc *desc)
{
	WRITE_ONCE(desc->refresh.stopped, true);
	wake_up_all(&desc->writer.waitq);
	if (atomic_cmpxchg(&desc->refresh.hangup, HANGUP, HANGUP_TOLD) == HANGUP)
		kill_fasync(&desc->fasync, SIGIO, POLL_HUP);
}

/* Return true if the limit of @desc is used up and the last record is written. */
static bool desc_at_limit(struct perf_counter_desc *desc)
{
	return atomic_read(&desc->refresh.hangup) != NO_HANGUP &&
	       !atomic_read(&desc->refresh.limit);
}

/* Do the part of desc_irq_work() that has to wait for other CPUs. */
static void desc_stop_work(struct work_struct *work)
{
	struct perf_counter_desc *desc = container_of(work, struct perf_counter_desc, stop_work);
	struct perf_counter *counter;

	mutex_lock(&desc->mutex);
	/* Another REFRESH may have set a new limit meanwhile. */
	if (desc_at_limit(desc)) {
		list_for_each_entry(counter, &desc->counters, desc_node) {
			perf_counter_ctx_call(counter->ctx, stop_at_limit_fn, counter, false);
			cond_resched();
		}
		desc_hang_up(desc);
	}
	mutex_unlock(&desc->mutex);
}

/* Send the signal of a record, or end the limit after the last record. */
static void desc_irq_work(struct irq_work *work)
{
	struct perf_counter_desc *desc = container_of(work, struct perf_counter_desc, work);
	bool stopped = true;
	int cpu;

	if (!desc_at_limit(desc)) {
		kill_fasync(&desc->fasync, SIGIO, POLL_IN);
		return;
	}
	for_each_cpu(cpu, perf_counter_desc_cpus(desc))
		stopped &= counter_stop_at_limit(perf_counter_opened(desc, cpu));
	if (stopped)
		desc_hang_up(desc);
	else
		queue_work(system_highpri_wq, &desc->stop_work);
}

/**
 * perf_counter_limit_init() - Prepare the deferred work of a descriptor
 * @desc: a descriptor that samples or sends signals
 */
void perf_counter_limit_init(struct perf_counter_desc *desc)
{
	init_irq_work(&desc->work, desc_irq_work);
	INIT_WORK(&desc->stop_work, desc_stop_work);
}

/**
 * perf_counter_limit_sync() - Wait for the deferred work of a descriptor
 * @desc: a descriptor that samples or sends signals, and has no events any more
 *
 * Context: may sleep.
 */
void perf_counter_limit_sync(struct perf_counter_desc *desc)
{
	irq_work_sync(&desc->work);
	flush_work(&desc->stop_work);
}
