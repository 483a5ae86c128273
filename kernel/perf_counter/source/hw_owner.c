// SPDX-License-Identifier: GPL-2.0
/*
 * Owner of the hardware: the subsystem, perf_counter or perf_events, that has a PMU. A PMU is
 * claimed for its first user and released with the last one. It moves to perf_events with its only
 * user, if that is a descriptor that is handed over. An administrator can take all PMUs away by a
 * sysctl. PMUs stop while the machine sleeps or reboots.
 */

#include <linux/capability.h>
#include <linux/reboot.h>
#include <linux/suspend.h>
#include <linux/sysctl.h>
#include <linux/workqueue.h>

#include "../counter/recorder.h"
#include "source.h"

/*
 * Guards the list of PMUs, their numbers of users, claim and release. A claim may move
 * the NMI watchdog: the locks under which the watchdog is switched on and off, and
 * under which perf_events opens and closes a counter, are taken inside this mutex.
 */
static DEFINE_MUTEX(hw_mutex);
static LIST_HEAD(hw_pmus);
/*
 * Number of claimed PMUs that perf_events could use. Written under hw_mutex, read
 * without it.
 */
static unsigned int hw_claimed;

/*
 * The PMU that stays claimed without a descriptor because the NMI watchdog has moved
 * too often to move back; or NULL. Written under hw_mutex; perf_counter_hw_log_busy() reads
 * it without the mutex.
 */
static struct perf_counter_hw_pmu *hw_staying;

/*
 * Tasks that may use the PMUs: none (perf_events has the PMUs), tasks with CAP_PERFMON, or
 * all tasks. Written under hw_mutex; the sysctl reads it without the mutex.
 */
enum { HW_USERS_NONE, HW_USERS_PERFMON, HW_USERS_ALL };
static int hw_users = HW_USERS_ALL;

/*
 * The PMU that is moving to perf_events with its only user, halted and not claimed; or NULL. The
 * task that moves it, and that alone may use it in perf_events; NULL while no task may. Written
 * under hw_mutex; perf_counter_hw_moves() reads both without the mutex.
 */
static struct perf_counter_hw_pmu *hw_moving;
static struct task_struct *hw_mover;

/* PMUs are halted because the machine sleeps or reboots. Guarded by hw_mutex. */
static bool hw_asleep;

/* === Claim and release === */

/*
 * Claim the PMU. The NMI watchdog moves over with the first claim of a PMU that
 * perf_events could use, and moves back when the last such PMU is released.
 */
static __always_inline int hw_claim(struct perf_counter_hw_pmu *hw_pmu)
{
	const struct perf_counter_backend *backend = hw_pmu->backend;
	bool contested = backend->perf_events;
	int err;

	lockdep_assert_held(&hw_mutex);
	err = contested && !hw_claimed ? perf_counter_watchdog_claim(backend) : backend->claim();
	if (err == -EBUSY)
		pr_info_ratelimited("perf_counter: perf_events holds the PMU; close its counters\n");
	if (!err) {
		hw_pmu->claimed = true;
		WRITE_ONCE(hw_claimed, hw_claimed + contested);
	}
	return err;
}

static __always_inline void hw_release(struct perf_counter_hw_pmu *hw_pmu)
{
	const struct perf_counter_backend *backend = hw_pmu->backend;
	bool contested = backend->perf_events;

	lockdep_assert_held(&hw_mutex);
	if (contested && hw_claimed == 1)
		perf_counter_watchdog_release(backend);
	else
		backend->release();
	hw_pmu->claimed = false;
	WRITE_ONCE(hw_claimed, hw_claimed - contested);
}

/**
 * perf_counter_hw_get() - Add a user of a PMU; the first one claims it
 * @hw_pmu: PMU to use
 *
 * Context: may sleep.
 * Return: 0; -EBUSY if perf_events has the PMU or is about to get it, or if the administrator
 * has disabled it; -EACCES if only tasks with CAP_PERFMON may use it, and the current one may not.
 */
int perf_counter_hw_get(struct perf_counter_hw_pmu *hw_pmu)
{
	int err = 0;

	guard(mutex)(&hw_mutex);
	if (hw_users != HW_USERS_ALL) {
		if (hw_users == HW_USERS_NONE)
			return -EBUSY;
		if (!perfmon_capable())
			return -EACCES;
	}
	if (unlikely(hw_pmu == hw_staying)) {
		/*
		 * The PMU is still claimed, for the watchdog only. The descriptor takes over the
		 * watchdog's reference.
		 */
		WRITE_ONCE(hw_staying, NULL);
		return 0;
	}
	if (unlikely(hw_pmu == hw_moving))
		return -EBUSY;
	if (!hw_pmu->claimed)
		err = hw_claim(hw_pmu);
	if (!err)
		hw_pmu->users++;
	return err;
}

static void hw_resume_pmu(struct perf_counter_hw_pmu *hw_pmu)
{
	if (hw_asleep || hw_pmu == hw_moving)
		return;
	if (hw_pmu->backend->recorder)
		perf_counter_halt_recorder(false);
	perf_counter_pmu_go_on(&hw_pmu->pmu);
}

/*
 * End the move of the PMU, whether it has succeeded or not. The NMI watchdog may have been refused
 * on a CPU that came online during the move.
 */
static void hw_end_move(struct perf_counter_hw_pmu *hw_pmu)
{
	lockdep_assert_held(&hw_mutex);
	WRITE_ONCE(hw_moving, NULL);
	WRITE_ONCE(hw_mover, NULL);
	perf_counter_watchdog_restart();
	if (hw_users != HW_USERS_NONE)
		hw_resume_pmu(hw_pmu);
}

static void hw_put_locked(struct perf_counter_hw_pmu *hw_pmu)
{
	lockdep_assert_held(&hw_mutex);
	if (--hw_pmu->users)
		return;
	if (hw_pmu->claimed)
		hw_release(hw_pmu);
	else if (hw_pmu == hw_moving)
		hw_end_move(hw_pmu);
}

/* Release the PMU that is claimed for the watchdog only, if there is one. */
static void hw_end_stay(void)
{
	struct perf_counter_hw_pmu *hw_pmu = hw_staying;

	lockdep_assert_held(&hw_mutex);
	if (!hw_pmu)
		return;
	WRITE_ONCE(hw_staying, NULL);
	hw_put_locked(hw_pmu);
}

static void hw_stay_ends(struct work_struct *work);
static DECLARE_DELAYED_WORK(hw_stay_work, hw_stay_ends);

/*
 * Keep the PMU claimed for the watchdog if nothing else uses it and the watchdog may not move back
 * to perf_events yet; return false if the PMU can be released. The work that releases it later runs
 * on an unbound workqueue: a real-time task may keep the kworker of this CPU from running.
 */
static bool hw_begin_stay(struct perf_counter_hw_pmu *hw_pmu)
{
	unsigned long stay;

	lockdep_assert_held(&hw_mutex);
	if (hw_pmu->users > 1 || !hw_pmu->claimed || hw_claimed != 1 ||
	    !hw_pmu->backend->perf_events)
		return false;
	stay = perf_counter_watchdog_stay();
	if (!stay)
		return false;
	WRITE_ONCE(hw_staying, hw_pmu);
	mod_delayed_work(system_unbound_wq, &hw_stay_work, stay);
	return true;
}

/* End the stay. If another stay began after this work was queued, queue the work again. */
static void hw_stay_ends(struct work_struct *work)
{
	struct perf_counter_hw_pmu *hw_pmu;

	guard(mutex)(&hw_mutex);
	hw_pmu = hw_staying;
	if (!hw_pmu)
		return;
	WRITE_ONCE(hw_staying, NULL);
	if (!hw_begin_stay(hw_pmu))
		hw_put_locked(hw_pmu);
}

/**
 * perf_counter_hw_put() - Remove a user of a PMU; the last one releases it
 * @hw_pmu: PMU of a successful perf_counter_hw_get()
 *
 * Context: may sleep.
 */
void perf_counter_hw_put(struct perf_counter_hw_pmu *hw_pmu)
{
	guard(mutex)(&hw_mutex);
	if (likely(!hw_begin_stay(hw_pmu)))
		hw_put_locked(hw_pmu);
}

/**
 * perf_counter_hw_is_claimed() - Test whether perf_counter has claimed a PMU that
 * perf_events could use
 *
 * Context: any. The answer may be outdated.
 * Return: true if such a PMU is claimed.
 */
bool perf_counter_hw_is_claimed(void)
{
	return READ_ONCE(hw_claimed);
}

/**
 * perf_counter_hw_log_busy() - Log why perf_events cannot use the PMU
 *
 * Logs nothing unless perf_counter has claimed the PMU.
 *
 * Context: any but NMI.
 */
void perf_counter_hw_log_busy(void)
{
	/* hw_mutex cannot be taken here: callers hold locks that are taken inside it. */
	if (unlikely(READ_ONCE(hw_staying)))
		pr_info_ratelimited("perf_counter: the PMU changes hands too often for the NMI watchdog, and stays with perf_counter; try again in two seconds\n");
	else if (perf_counter_hw_is_claimed())
		pr_info_ratelimited("perf_counter: perf_counter holds the PMU; close its counters\n");
}

static void hw_halt(struct perf_counter_hw_pmu *hw_pmu)
{
	/* Stop the recorder, too: software events may use it, and they are not halted. */
	if (hw_pmu->backend->recorder)
		perf_counter_halt_recorder(true);
	perf_counter_pmu_halt(&hw_pmu->pmu);
}

/* === A PMU moves to perf_events === */

/**
 * perf_counter_hw_moves() - Test whether a PMU is moving to perf_events with another task's event
 *
 * perf_events tests this after it has counted an event as a user of the hardware, and drops the
 * event if the answer is true. The PMU can then be taken back if the move fails.
 *
 * Context: task; with or without locks.
 * Return: true if only another task may open events of the PMU now.
 */
bool perf_counter_hw_moves(void)
{
	/* A task always sees its own move: it has written both variables. */
	return READ_ONCE(hw_moving) && READ_ONCE(hw_mover) != current;
}

/**
 * perf_counter_hw_begin_move() - Release a PMU to the current task, for an event of perf_events
 * @hw_pmu: PMU of a descriptor that is being handed over
 *
 * The counter of the descriptor stays open and does not count. The move succeeds when the
 * descriptor releases the PMU by perf_counter_hw_put(), and fails by perf_counter_hw_cancel_move().
 * Until then no other task gets the PMU, in perf_counter or in perf_events.
 *
 * A PMU that the administrator has taken from perf_counter need not move.
 *
 * Context: may sleep.
 * Return: 0; -EBUSY if the PMU has other users, or the NMI watchdog has to stay with perf_counter.
 */
int perf_counter_hw_begin_move(struct perf_counter_hw_pmu *hw_pmu)
{
	guard(mutex)(&hw_mutex);
	if (hw_pmu == hw_moving)
		return -EBUSY;
	if (!hw_pmu->claimed || !hw_pmu->backend->perf_events)
		return 0;
	if (hw_moving || hw_pmu->users > 1 || perf_counter_watchdog_stay())
		return -EBUSY;
	hw_halt(hw_pmu);
	WRITE_ONCE(hw_mover, current);
	WRITE_ONCE(hw_moving, hw_pmu);
	hw_release(hw_pmu);
	return 0;
}

static void hw_move_failed(struct work_struct *work);
static DECLARE_DELAYED_WORK(hw_move_work, hw_move_failed);

/*
 * Take the PMU back. The claim fails while a task that perf_events is about to refuse is counted as
 * a user: try again at the next tick. No other task gets the PMU meanwhile.
 */
static void hw_take_back(struct perf_counter_hw_pmu *hw_pmu)
{
	lockdep_assert_held(&hw_mutex);
	/* The watchdog may need perf_events again if the claim fails. */
	WRITE_ONCE(hw_mover, current);
	if (hw_users != HW_USERS_NONE && hw_claim(hw_pmu)) {
		WRITE_ONCE(hw_mover, NULL);
		queue_delayed_work(system_unbound_wq, &hw_move_work, 1);
		return;
	}
	hw_end_move(hw_pmu);
}

static void hw_move_failed(struct work_struct *work)
{
	guard(mutex)(&hw_mutex);
	/* The descriptor may have been closed, and another move may have begun. */
	if (hw_moving && !hw_mover)
		hw_take_back(hw_moving);
}

/**
 * perf_counter_hw_cancel_move() - Take a PMU back after a move that has failed
 * @hw_pmu: PMU of a successful perf_counter_hw_begin_move(); the event is closed
 *
 * The counter of the descriptor counts again.
 *
 * Context: may sleep.
 */
void perf_counter_hw_cancel_move(struct perf_counter_hw_pmu *hw_pmu)
{
	guard(mutex)(&hw_mutex);
	if (hw_pmu == hw_moving)
		hw_take_back(hw_pmu);
}

/* === The list of PMUs === */

/**
 * perf_counter_hw_owner_add() - Add a PMU to the list of those that can be claimed
 * @hw_pmu: registered PMU
 *
 * Context: may sleep.
 */
void perf_counter_hw_owner_add(struct perf_counter_hw_pmu *hw_pmu)
{
	guard(mutex)(&hw_mutex);
	list_add_tail(&hw_pmu->node, &hw_pmus);
}

#if IS_ENABLED(CONFIG_PERF_COUNTERS_KUNIT_TEST)
/**
 * perf_counter_hw_owner_remove() - Remove a PMU of a test from the list, and end its stay
 * @hw_pmu: PMU without users
 *
 * Context: may sleep.
 */
void perf_counter_hw_owner_remove(struct perf_counter_hw_pmu *hw_pmu)
{
	guard(mutex)(&hw_mutex);
	if (hw_staying == hw_pmu)
		hw_end_stay();
	list_del(&hw_pmu->node);
}
#endif

/* === The sysctl kernel.perf_counter_pmu === */

/* Give all PMUs back. Counters stay open and do not count. */
static void hw_revoke(void)
{
	struct perf_counter_hw_pmu *hw_pmu;

	hw_end_stay();
	list_for_each_entry(hw_pmu, &hw_pmus, node) {
		hw_halt(hw_pmu);
		if (hw_pmu->claimed)
			hw_release(hw_pmu);
	}
	perf_counter_watchdog_forget_moves();
}

/*
 * Claim the PMUs that have users, and let their counters count again. If perf_events
 * has one of the PMUs, none is claimed.
 */
static int hw_grant(void)
{
	struct perf_counter_hw_pmu *hw_pmu;
	int err;

	list_for_each_entry(hw_pmu, &hw_pmus, node) {
		err = hw_pmu->users && hw_pmu != hw_moving ? hw_claim(hw_pmu) : 0;
		if (err)
			goto release;
	}
	list_for_each_entry(hw_pmu, &hw_pmus, node)
		hw_resume_pmu(hw_pmu);
	return 0;

release:
	list_for_each_entry_continue_reverse(hw_pmu, &hw_pmus, node) {
		if (hw_pmu->claimed)
			hw_release(hw_pmu);
	}
	return err;
}

/**
 * perf_counter_hw_set_users() - Set who may use the PMUs
 * @users: value as in the sysctl kernel.perf_counter_pmu: 0: no task, 1: tasks with CAP_PERFMON, 2:
 *	all tasks
 *
 * Context: may sleep.
 * Return: 0; -EBUSY if perf_events has a PMU that open counters need.
 */
int perf_counter_hw_set_users(int users)
{
	int err = 0;

	guard(mutex)(&hw_mutex);
	if (users == HW_USERS_NONE && hw_users != HW_USERS_NONE)
		hw_revoke();
	else if (users != HW_USERS_NONE && hw_users == HW_USERS_NONE)
		err = hw_grant();
	if (!err)
		WRITE_ONCE(hw_users, users);
	return err;
}

static int hw_users_handler(const struct ctl_table *table, int write, void *buffer, size_t *lenp,
			    loff_t *ppos)
{
	int users = READ_ONCE(hw_users), err;
	struct ctl_table copy = *table;

	copy.data = &users;
	err = proc_dointvec_minmax(&copy, write, buffer, lenp, ppos);
	if (err || !write)
		return err;
	return perf_counter_hw_set_users(users);
}

static struct ctl_table hw_sysctls[] = {
	{
		.procname	= "perf_counter_pmu",
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= hw_users_handler,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_TWO,
	},
};

/* === The PMU is stopped while the machine sleeps or reboots === */

/**
 * perf_counter_hw_suspend() - Stop the PMU of each CPU and clear its registers
 *
 * Counters stay open and do not count until perf_counter_hw_resume(). Exported to
 * architectures whose machine can be moved without calls of the sleep notifiers.
 *
 * Context: may sleep.
 */
void perf_counter_hw_suspend(void)
{
	struct perf_counter_hw_pmu *hw_pmu;

	guard(mutex)(&hw_mutex);
	hw_asleep = true;
	list_for_each_entry(hw_pmu, &hw_pmus, node)
		hw_halt(hw_pmu);
}

/**
 * perf_counter_hw_resume() - Let the counters count again after
 * perf_counter_hw_suspend()
 *
 * Context: may sleep.
 */
void perf_counter_hw_resume(void)
{
	struct perf_counter_hw_pmu *hw_pmu;

	guard(mutex)(&hw_mutex);
	hw_asleep = false;
	list_for_each_entry(hw_pmu, &hw_pmus, node) {
		if (hw_users != HW_USERS_NONE)
			hw_resume_pmu(hw_pmu);
	}
}

static int hw_reboot(struct notifier_block *block, unsigned long action, void *data)
{
	perf_counter_hw_suspend();
	return NOTIFY_DONE;
}

static int hw_sleep(struct notifier_block *block, unsigned long action, void *data)
{
	switch (action) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		perf_counter_hw_suspend();
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		perf_counter_hw_resume();
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block hw_reboot_notifier = { .notifier_call = hw_reboot };

static int __init hw_init(void)
{
	pm_notifier(hw_sleep, 0);
	return register_reboot_notifier(&hw_reboot_notifier);
}
core_initcall(hw_init);

static int __init hw_sysctl_init(void)
{
	register_sysctl_init("kernel", hw_sysctls);
	return 0;
}
fs_initcall(hw_sysctl_init);
