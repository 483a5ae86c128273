// SPDX-License-Identifier: GPL-2.0
/*
 * Static keys: what a counter wants to be called for. With no counter that wants it, a
 * hook of the kernel is one patched-out branch.
 */

#include <linux/bitops.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "internal.h"

struct static_key_false perf_counter_hooks[PERF_COUNTER_HOOKS] = {
	[0 ... PERF_COUNTER_HOOKS - 1] = STATIC_KEY_FALSE_INIT
};

/* Guards the keys. */
static DEFINE_MUTEX(hooks_mutex);

/*
 * Who wants a hook; and one more while its key is on, so that nobody who comes
 * while it lingers has to wait for the mutex.
 */
static atomic_t hook_users[PERF_COUNTER_HOOKS];

/* Patching code is dear: a key stays on for a while after its last user. */
#define HOOK_LINGER	HZ

static void hooks_idle(struct work_struct *work)
{
	unsigned int hook;

	mutex_lock(&hooks_mutex);
	for (hook = 0; hook < PERF_COUNTER_HOOKS; hook++) {
		if (atomic_cmpxchg(&hook_users[hook], 1, 0) == 1)
			static_branch_disable(&perf_counter_hooks[hook]);
	}
	mutex_unlock(&hooks_mutex);
}

static DECLARE_DELAYED_WORK(hooks_idle_work, hooks_idle);

static void hook_get(unsigned int hook)
{
	if (atomic_inc_not_zero(&hook_users[hook]))
		return;
	mutex_lock(&hooks_mutex);
	if (!atomic_inc_not_zero(&hook_users[hook])) {
		static_branch_enable(&perf_counter_hooks[hook]);
		/* No CPU is half-way through a switch that began without. */
		if (hook == PERF_COUNTER_HOOK_SCHED)
			synchronize_rcu();
		atomic_set_release(&hook_users[hook], 2);
	}
	mutex_unlock(&hooks_mutex);
}

static void hook_put(unsigned int hook)
{
	if (atomic_dec_return(&hook_users[hook]) == 1 && !delayed_work_pending(&hooks_idle_work))
		schedule_delayed_work(&hooks_idle_work, HOOK_LINGER);
}

/**
 * perf_counter_hooks_get() - have hooks called
 * @hooks: a bit for each, of enum perf_counter_hook or the number of a software event
 *
 * Context: may sleep.
 */
void perf_counter_hooks_get(u32 hooks)
{
	for (; hooks; hooks &= hooks - 1)
		hook_get(__ffs(hooks));
}

/**
 * perf_counter_hooks_put() - hooks are not needed any more
 * @hooks: as they were got
 *
 * Context: any but where the locks of workqueues are held.
 */
void perf_counter_hooks_put(u32 hooks)
{
	for (; hooks; hooks &= hooks - 1)
		hook_put(__ffs(hooks));
}
