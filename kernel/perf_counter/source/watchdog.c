// SPDX-License-Identifier: GPL-2.0
/*
 * The NMI watchdog, where it counts cycles with perf_events: one counter on each CPU,
 * on most machines as long as they run. When perf_counter claims the PMU and nobody but
 * the watchdog has it, the watchdog moves over:
 *
 *   1. its counters of perf_events are closed, on each CPU, and so the PMU is free;
 *   2. the PMU is claimed;
 *   3. it is started again, and finds that it is to use counters of ours.
 *
 * If the claim fails, because somebody was faster, it is started again as it was. With
 * the last counter of ours but its own it moves back in the same three steps.
 *
 * All the while watchdog_hardlockup_lock() is held, so that nobody switches it on or
 * off, or sees it in between, and no CPU comes or goes: what it is told to do at any
 * other time, it does with the PMU where it is. A CPU that hangs between the steps is
 * not watched; that is a millisecond or so. One that hung before is, and keeps whoever
 * would move the watchdog waiting.
 *
 * While it is off, no lock is taken. watchdog_is_here is written, and then it is looked
 * whether the watchdog is on; whoever switches it on makes that known, and each CPU then
 * looks at watchdog_is_here. With a full barrier between the two steps of either, one of
 * them sees what the other did. Is it the CPU, then it counts where it should. Is it we,
 * then the watchdog is stopped under its lock, wherever it has begun to count, and
 * started where it belongs.
 *
 * The watchdog's own counters claim nothing: they are there only while others are.
 */

#include <linux/nmi.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/smp.h>

#include "source.h"

/* It counts here, or would if it were on. Changes by the caller's mutex. */
static bool watchdog_is_here;

/* By the CPU itself, which the watchdog is told to watch, or not to. */
static DEFINE_PER_CPU(struct perf_counter_desc *, watchdog_counter);

/* === Moving === */

/* Say where the watchdog counts from now on; true if it is on. */
static bool watchdog_set_here(bool here)
{
	WRITE_ONCE(watchdog_is_here, here);
	/* Pairs with the barrier of perf_counter_watchdog_enable(). */
	smp_mb();
	return READ_ONCE(watchdog_enabled) & WATCHDOG_HARDLOCKUP_ENABLED;
}

static void watchdog_restart(void)
{
	watchdog_hardlockup_lock();
	watchdog_hardlockup_stop_all();
	watchdog_hardlockup_start_all();
	watchdog_hardlockup_unlock();
}

static int claim_from_watchdog(const struct perf_counter_backend *backend)
{
	int err = -EBUSY;

	watchdog_hardlockup_lock();
	/* More than the watchdog's own: somebody else counts, and goes on. */
	if (backend->perf_events() <= watchdog_hardlockup_events()) {
		watchdog_hardlockup_stop_all();
		err = backend->claim();
		if (!err)
			watchdog_set_here(true);
		watchdog_hardlockup_start_all();
	}
	watchdog_hardlockup_unlock();
	return err;
}

/**
 * perf_counter_watchdog_claim() - claim a PMU, if need be from the watchdog
 * @backend: drives the PMU, the first that is claimed of those that perf_events would have
 *
 * Context: may sleep; not at the same time as itself or the release.
 * Return: 0; or what the backend says: -EBUSY, when somebody else has it.
 */
int perf_counter_watchdog_claim(const struct perf_counter_backend *backend)
{
	int err = backend->claim();

	if (err == -EBUSY)
		return claim_from_watchdog(backend);
	if (!err && watchdog_set_here(true))
		watchdog_restart();
	return err;
}

/**
 * perf_counter_watchdog_release() - release a PMU, and let the watchdog have it
 * @backend: drives the PMU, the last of them, with which nobody but the watchdog counts
 *
 * Context: as perf_counter_watchdog_claim().
 */
void perf_counter_watchdog_release(const struct perf_counter_backend *backend)
{
	bool moves = watchdog_set_here(false);

	if (moves) {
		watchdog_hardlockup_lock();
		watchdog_hardlockup_stop_all();
	}
	backend->release();
	if (moves) {
		watchdog_hardlockup_start_all();
		watchdog_hardlockup_unlock();
	}
}

/* === Watching === */

/**
 * perf_counter_watchdog_overflow() - a counter of the watchdog's has overflowed
 * @desc: it
 * @sample: what is known of the event
 * @regs: where
 *
 * Context: NMI of the CPU that is watched.
 */
void perf_counter_watchdog_overflow(struct perf_counter_desc *desc,
				    const struct perf_counter_sample *sample, struct pt_regs *regs)
{
	watchdog_hardlockup_overflow(regs);
}

static struct perf_counter_desc *counter_open(unsigned int cpu, u32 type, u64 config)
{
	const struct perf_counter_attr attr = {
		.type		= type,
		.config		= config,
		.sample_period	= hw_nmi_get_sample_period(watchdog_thresh),
		.pinned		= 1,
		.disabled	= 1,
	};

	return perf_counter_kernel_open(&attr, NULL, cpu, perf_counter_watchdog_overflow);
}

/**
 * perf_counter_watchdog_enable() - begin to watch this CPU, if that is for us to do
 * @cpu: this CPU
 * @type: of the event that the command line asks for, or of cycles
 * @config: of the same
 *
 * Context: the CPU's own thread, with the watchdog locked, or its hotplug callback.
 * Return: false when the watchdog is to count with perf_events.
 */
bool perf_counter_watchdog_enable(unsigned int cpu, u32 type, u64 config)
{
	struct perf_counter_desc *desc;

	/* Pairs with the barrier of watchdog_set_here(). That it is on has been said before. */
	smp_mb();
	if (!READ_ONCE(watchdog_is_here))
		return false;
	desc = counter_open(cpu, type, config);
	if (IS_ERR(desc))
		desc = counter_open(cpu, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	if (IS_ERR(desc)) {
		pr_warn("perf_counter: NMI watchdog: no counter on CPU %u: %ld\n", cpu,
			PTR_ERR(desc));
		return true;
	}
	this_cpu_write(watchdog_counter, desc);
	perf_counter_kernel_enable(desc);
	return true;
}

/**
 * perf_counter_watchdog_disable() - do not watch this CPU any more
 * @cpu: this CPU
 *
 * Context: as perf_counter_watchdog_enable().
 */
void perf_counter_watchdog_disable(unsigned int cpu)
{
	struct perf_counter_desc *desc = this_cpu_read(watchdog_counter);

	if (!desc)
		return;
	this_cpu_write(watchdog_counter, NULL);
	perf_counter_kernel_close(desc);
}
