/* SPDX-License-Identifier: GPL-2.0 */
/* Interface between perf_counter and the kernel's code of control groups. */
#ifndef _LINUX_PERF_COUNTER_CGROUP_H
#define _LINUX_PERF_COUNTER_CGROUP_H

#include <linux/jump_label.h>
#include <linux/types.h>

struct task_struct;

#if defined(CONFIG_PERF_COUNTERS) && defined(CONFIG_CGROUPS)

DECLARE_STATIC_KEY_FALSE(perf_counter_cgroups_key);

void __perf_counter_cgroup_move(struct task_struct *task);
void __perf_counter_cgroup_moved(void);

/* Return true if a control group has counters. */
static __always_inline bool perf_counter_cgroups_watched(void)
{
	return static_branch_unlikely(&perf_counter_cgroups_key);
}

/*
 * Called when the css_set of @task has changed, and its group of the default hierarchy may have.
 * cgroup_mutex and css_set_lock are held. perf_counter_cgroup_moved() follows.
 */
static inline void perf_counter_cgroup_move(struct task_struct *task, bool other_group)
{
	if (perf_counter_cgroups_watched() && other_group)
		__perf_counter_cgroup_move(task);
}

/* Called after perf_counter_cgroup_move() for all tasks of a migration. May sleep. */
static inline void perf_counter_cgroup_moved(void)
{
	if (perf_counter_cgroups_watched())
		__perf_counter_cgroup_moved();
}

#else

static inline bool perf_counter_cgroups_watched(void) { return false; }
static inline void perf_counter_cgroup_move(struct task_struct *task, bool other_group) { }
static inline void perf_counter_cgroup_moved(void) { }

#endif

#endif /* _LINUX_PERF_COUNTER_CGROUP_H */
