// SPDX-License-Identifier: GPL-2.0
/*
 * Moving the NMI watchdog, on architectures where it counts cycles with perf_events: it has
 * one counter on each CPU, on most machines all the time. When perf_counter claims the PMU and
 * only the watchdog uses it, the watchdog moves over to perf_counter:
 *
 *   1. stop the watchdog on each CPU, which closes its counters of perf_events and frees the PMU;
 *   2. claim the PMU;
 *   3. start the watchdog, which now opens counters of perf_counter.
 *
 * If the claim fails because another subsystem was faster, step 3 starts the watchdog
 * with perf_events again. When the last counter of perf_counter other than the
 * watchdog's is closed, the watchdog moves back in the same three steps.
 *
 * watchdog_hardlockup_restart() moves the watchdog. Meanwhile, nothing can switch the
 * watchdog on or off or see the intermediate state, and no CPU comes or goes. A request
 * at any other time finds the watchdog settled in one subsystem. A CPU that hangs during a
 * move is not watched; a move takes about a millisecond. A CPU that hung before the
 * move is detected, and the move waits for it. The task that moves the watchdog reaches
 * each CPU by IPI, so that a real-time task that keeps a CPU's kworker from running
 * does not delay the move.
 *
 * Any user's counter may cause a move. The watchdog moves back at most WATCHDOG_MOVES
 * times in WATCHDOG_WINDOW; after that, the PMU and the watchdog stay with perf_counter
 * until the window ends, see perf_counter_hw_put(). A counter that is opened meanwhile causes no
 * move.
 *
 * While the watchdog is off, no lock is taken. The claim writes
 * watchdog_in_perf_counter and then reads watchdog_enabled; a task that switches the
 * watchdog on writes watchdog_enabled, and each CPU then reads
 * watchdog_in_perf_counter. Both sides have a full barrier between their two steps, so
 * that at least one of them sees the other's write. If the CPU sees the claim's write,
 * it opens its counter in the right subsystem. If the claim sees that the watchdog is
 * on, it stops the watchdog under its lock, wherever it has begun to count, and starts
 * it in the right subsystem.
 *
 * The watchdog's own counters hold no claim of the PMU: they exist only while other
 * counters do.
 */

#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/nmi.h>
#include <linux/percpu.h>
#include <linux/printk.h>

#include "source.h"

/*
 * True if the watchdog counts with perf_counter, or will do so when it is switched on. Written
 * under hw_mutex.
 */
static bool watchdog_in_perf_counter;

/*
 * The watchdog's counter on each CPU. Written with the watchdog locked or in a hotplug
 * callback.
 */
static DEFINE_PER_CPU(struct perf_counter_desc *, watchdog_counter);

/* === Moving between perf_events and perf_counter === */

/*
 * Maximum number of moves back to perf_events per window, and the window's length in
 * jiffies.
 */
#define WATCHDOG_MOVES	4
#define WATCHDOG_WINDOW	(2 * HZ)

/*
 * Number of moves back to perf_events in the window, and the start of the window in jiffies.
 * Guarded by hw_mutex.
 */
static unsigned int watchdog_moves;
static u64 watchdog_window;

/**
 * perf_counter_watchdog_stay() - Tell how long the watchdog has to stay with
 * perf_counter
 *
 * Context: called under hw_mutex, before the last user releases the PMU; may sleep.
 * Return: jiffies for which the PMU has to stay claimed for the watchdog; 0: release it
 * at once.
 */
unsigned long perf_counter_watchdog_stay(void)
{
	u64 end = watchdog_window + WATCHDOG_WINDOW, now = get_jiffies_64();

	if (!(READ_ONCE(watchdog_enabled) & WATCHDOG_HARDLOCKUP_ENABLED))
		return 0;
	return watchdog_moves >= WATCHDOG_MOVES && time_before64(now, end) ? end - now : 0;
}

/**
 * perf_counter_watchdog_forget_moves() - Reset the count of moves back to perf_events
 *
 * Context: called under hw_mutex.
 */
void perf_counter_watchdog_forget_moves(void)
{
	watchdog_moves = 0;
}

/* Count a move back to perf_events; begin a new window if the old one has ended. */
static void watchdog_count_move(void)
{
	u64 now = get_jiffies_64();

	if (!watchdog_moves || time_after_eq64(now, watchdog_window + WATCHDOG_WINDOW)) {
		watchdog_window = now;
		watchdog_moves = 0;
	}
	watchdog_moves++;
}

/* Set the subsystem that the watchdog counts with. Returns true if the watchdog is on. */
static bool watchdog_set_user(bool perf_counter)
{
	WRITE_ONCE(watchdog_in_perf_counter, perf_counter);
	/* Pairs with the barrier of perf_counter_watchdog_enable(). */
	smp_mb();
	return READ_ONCE(watchdog_enabled) & WATCHDOG_HARDLOCKUP_ENABLED;
}

static int watchdog_do_nothing(void *data)
{
	return 0;
}

static int watchdog_do_claim(void *data)
{
	const struct perf_counter_backend *backend = data;
	int err = backend->claim();

	if (!err)
		watchdog_set_user(true);
	return err;
}

static int watchdog_do_release(void *data)
{
	const struct perf_counter_backend *backend = data;

	backend->release();
	return 0;
}

/*
 * Test whether perf_events has more counters than those of the watchdog, and thus keeps the PMU.
 * The watchdog has at most one counter for each CPU. The claim decides; the test only keeps a
 * program from stopping the watchdog again and again without getting the PMU.
 */
static bool watchdog_is_not_alone(const struct perf_counter_backend *backend)
{
	return backend->perf_events() > cpumask_weight_and(&watchdog_cpumask, cpu_online_mask);
}

static int watchdog_claim_from(const struct perf_counter_backend *backend)
{
	if (watchdog_is_not_alone(backend))
		return -EBUSY;
	return watchdog_hardlockup_restart(watchdog_do_claim, (void *)backend);
}

/**
 * perf_counter_watchdog_claim() - Claim a PMU, from the watchdog if necessary
 * @backend: driver of the PMU, which is the first claimed one that perf_events could
 *	use
 *
 * Context: called under hw_mutex; may sleep.
 * Return: 0, or the backend's error: -EBUSY if perf_events uses the PMU for more than
 * the watchdog.
 */
int perf_counter_watchdog_claim(const struct perf_counter_backend *backend)
{
	int err = backend->claim();

	if (err == -EBUSY)
		return watchdog_claim_from(backend);
	if (!err && watchdog_set_user(true))
		watchdog_hardlockup_restart(watchdog_do_nothing, NULL);
	return err;
}

/**
 * perf_counter_watchdog_release() - Release a PMU and move the watchdog back to
 * perf_events
 * @backend: driver of the PMU; this PMU is the last claimed one, and only the watchdog uses it
 *
 * Context: called under hw_mutex; may sleep.
 */
void perf_counter_watchdog_release(const struct perf_counter_backend *backend)
{
	if (!watchdog_set_user(false)) {
		backend->release();
		return;
	}
	watchdog_count_move();
	watchdog_hardlockup_restart(watchdog_do_release, (void *)backend);
}

/**
 * perf_counter_watchdog_restart() - Open the watchdog's counters again, as some may be missing
 *
 * If the watchdog is on, it is stopped and started again on each CPU, which opens a counter there.
 *
 * Context: called under hw_mutex; may sleep.
 */
void perf_counter_watchdog_restart(void)
{
	if (READ_ONCE(watchdog_enabled) & WATCHDOG_HARDLOCKUP_ENABLED)
		watchdog_hardlockup_restart(watchdog_do_nothing, NULL);
}

/* === The watchdog's counters === */

/**
 * perf_counter_watchdog_overflow() - Check for a lockup when a watchdog's counter overflows
 * @desc: descriptor of the counter
 * @sample: sample of the overflow, unused
 * @regs: registers of the interrupted code
 *
 * Context: NMI of the CPU that is watched.
 */
void perf_counter_watchdog_overflow(struct perf_counter_desc *desc,
				    const struct perf_counter_sample *sample, struct pt_regs *regs)
{
	watchdog_hardlockup_overflow(regs);
}

static struct perf_counter_desc *watchdog_open(unsigned int cpu, u32 type, u64 config)
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
 * perf_counter_watchdog_enable() - Start watching a CPU if the watchdog is with
 * perf_counter
 * @cpu: number of the CPU, which is online
 * @type: type of the event that the command line selects, or of cycles
 * @config: config of that event
 *
 * Context: may sleep, with the watchdog locked; or the CPU's hotplug callback.
 * Return: false if the watchdog has to count with perf_events.
 */
bool perf_counter_watchdog_enable(unsigned int cpu, u32 type, u64 config)
{
	struct perf_counter_desc *desc;

	/*
	 * Pairs with the barrier of watchdog_set_user(). The caller has set
	 * watchdog_enabled before.
	 */
	smp_mb();
	if (!READ_ONCE(watchdog_in_perf_counter))
		return false;
	desc = watchdog_open(cpu, type, config);
	if (IS_ERR(desc))
		desc = watchdog_open(cpu, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
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
 * perf_counter_watchdog_disable() - Stop watching a CPU
 * @cpu: number of the CPU, which is online
 *
 * Context: may sleep, with the watchdog locked; or the CPU's hotplug callback.
 */
void perf_counter_watchdog_disable(unsigned int cpu)
{
	struct perf_counter_desc *desc = per_cpu(watchdog_counter, cpu);

	if (!desc)
		return;
	per_cpu(watchdog_counter, cpu) = NULL;
	perf_counter_kernel_close(desc);
}
