// SPDX-License-Identifier: GPL-2.0
/*
 * Static keys of the hooks in the kernel. A hook that no counter needs is one patched-out
 * branch.
 */

#include <linux/bitops.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "cgroup.h"
#include "desc.h"

struct static_key_false perf_counter_hooks[PERF_COUNTER_HOOKS] = {
	[0 ... PERF_COUNTER_HOOKS - 1] = STATIC_KEY_FALSE_INIT
};

#ifdef CONFIG_CGROUPS
DEFINE_STATIC_KEY_FALSE(perf_counter_cgroups_key);
#endif

/* Guards changes of the keys. */
static DEFINE_MUTEX(hooks_mutex);

/*
 * Number of users of each hook, plus one while its static key is on. A new user takes the mutex
 * only if the number is 0.
 */
static atomic_t hook_users[PERF_COUNTER_HOOKS];

/* Jiffies for which a key stays on after its last user: patching code is expensive. */
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
		/* Wait for context switches that began with the key off. */
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
 * perf_counter_hooks_get() - Enable hooks
 * @hooks: bits of enum perf_counter_hook, or of the numbers of software events
 *
 * Context: may sleep.
 */
void perf_counter_hooks_get(u32 hooks)
{
	for (; hooks; hooks &= hooks - 1)
		hook_get(__ffs(hooks));
}

/**
 * perf_counter_hooks_put() - Release hooks
 * @hooks: bits that perf_counter_hooks_get() was called with
 *
 * Context: any in which no lock of a workqueue is held.
 */
void perf_counter_hooks_put(u32 hooks)
{
	for (; hooks; hooks &= hooks - 1)
		hook_put(__ffs(hooks));
}
