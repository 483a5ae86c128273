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
 * would move the watchdog waiting. The task that moves the watchdog asks each CPU by IPIs,
 * so that a real-time task, which the kworker of its CPU waits for, delays no move.
 *
 * Any user's counter may have the watchdog move. It moves back WATCHDOG_MOVES times in
 * WATCHDOG_WINDOW; after that the PMU and the watchdog stay with perf_counter until the window
 * is over, see hw_unuse(). A counter that is opened meanwhile moves nothing.
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

#include <linux/jiffies.h>
#include <linux/nmi.h>
#include <linux/percpu.h>
#include <linux/printk.h>

#include "source.h"

/* It counts here, or would if it were on. Changes by the caller's mutex. */
static bool watchdog_is_here;

/* The watchdog's counter on each CPU; changes with the watchdog locked or in a hotplug callback. */
static DEFINE_PER_CPU(struct perf_counter_desc *, watchdog_counter);

/* === Moving === */

/* How often the watchdog may move back in a window of time, whose length is in jiffies. */
#define WATCHDOG_MOVES	4
#define WATCHDOG_WINDOW	(2 * HZ)

/* The moves back since the window began, in jiffies. By the caller's mutex. */
static unsigned int watchdog_moves;
static u64 watchdog_window;

/**
 * perf_counter_watchdog_stay() - Say for how long the watchdog is to stay with perf_counter
 *
 * Context: as perf_counter_watchdog_claim(), before the last user releases the PMU.
 * Return: jiffies for which the PMU is to be kept for the watchdog; 0: release it at once.
 */
unsigned long perf_counter_watchdog_stay(void)
{
	u64 end = watchdog_window + WATCHDOG_WINDOW, now = get_jiffies_64();

	if (!(READ_ONCE(watchdog_enabled) & WATCHDOG_HARDLOCKUP_ENABLED))
		return 0;
	return watchdog_moves >= WATCHDOG_MOVES && time_before64(now, end) ? end - now : 0;
}

/**
 * perf_counter_watchdog_forget_moves() - Let the watchdog move back as if it never had
 *
 * Context: as perf_counter_watchdog_claim().
 */
void perf_counter_watchdog_forget_moves(void)
{
	watchdog_moves = 0;
}

/* The watchdog moves back: a window begins, or there is one more move in the window. */
static void watchdog_count_move(void)
{
	u64 now = get_jiffies_64();

	if (!watchdog_moves || time_after_eq64(now, watchdog_window + WATCHDOG_WINDOW)) {
		watchdog_window = now;
		watchdog_moves = 0;
	}
	watchdog_moves++;
}

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
		watchdog_count_move();
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
 * perf_counter_watchdog_enable() - Begin to watch a CPU, if the watchdog is with perf_counter
 * @cpu: the CPU, online
 * @type: of the event that the command line asks for, or of cycles
 * @config: of the same
 *
 * Context: may sleep, with the watchdog locked; or the CPU's hotplug callback.
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
	per_cpu(watchdog_counter, cpu) = desc;
	perf_counter_kernel_enable(desc);
	return true;
}

/**
 * perf_counter_watchdog_disable() - Do not watch a CPU any more
 * @cpu: the CPU, online
 *
 * Context: as perf_counter_watchdog_enable().
 */
void perf_counter_watchdog_disable(unsigned int cpu)
{
	struct perf_counter_desc *desc = per_cpu(watchdog_counter, cpu);

	if (!desc)
		return;
	per_cpu(watchdog_counter, cpu) = NULL;
	perf_counter_kernel_close(desc);
}
