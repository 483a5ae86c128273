/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Control groups with counters: the contexts of those groups that contain the current task of a
 * CPU.
 */
#ifndef _PERF_COUNTER_COUNTER_CGROUP_H
#define _PERF_COUNTER_COUNTER_CGROUP_H

#include <linux/bitops.h>
#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/perf_counter_cgroup.h>

struct cgroup;
struct perf_counter_ctx;

/* The deepest level of a control group that may have counters; the root has level 0. */
#define PERF_COUNTER_CGROUP_LEVEL_MAX	16

/**
 * struct perf_counter_live_cgroups - contexts of control groups that are live on a CPU
 * @levels: levels with an entry in @ctx, a bit for each; bit 0 is never set
 * @ctx: the context on this CPU of the group at each level that contains the current task
 * @of: the current task's group for which @ctx was last updated. The pointer is only compared,
 *         because the group may have been freed while no group was counted
 *
 * Only the CPU itself changes the structure, with IRQs off: at a context switch, when a task moves
 * to another group, and when a group gets its first counter or loses the last one. The groups at
 * different levels contain one another. A change of one level leaves the other levels where they
 * are, so that an event on this CPU that walks the levels meanwhile finds each of them once.
 */
struct perf_counter_live_cgroups {
	unsigned long		levels;
	struct perf_counter_ctx	*ctx[PERF_COUNTER_CGROUP_LEVEL_MAX + 1];
	struct cgroup		*of;
};

#ifdef CONFIG_CGROUPS
DECLARE_PER_CPU(struct perf_counter_live_cgroups, perf_counter_live_cgroups);

/* Return the levels of the live groups of this CPU. Context: preemption disabled. */
static inline unsigned long perf_counter_cgroup_levels(void)
{
	if (!perf_counter_cgroups_watched())
		return 0;
	return READ_ONCE(this_cpu_ptr(&perf_counter_live_cgroups)->levels);
}

/*
 * Return the context of the live group at @level of this CPU, or NULL when the group has ceased to
 * be live since perf_counter_cgroup_levels(). Context: preemption disabled, in which the context
 * is not freed.
 */
static inline struct perf_counter_ctx *perf_counter_cgroup_ctx(unsigned int level)
{
	return READ_ONCE(this_cpu_ptr(&perf_counter_live_cgroups)->ctx[level]);
}
#else
static inline unsigned long perf_counter_cgroup_levels(void) { return 0; }
static inline struct perf_counter_ctx *perf_counter_cgroup_ctx(unsigned int level) { return NULL; }
#endif

/*
 * Remove levels from @levels, the outermost first, until one has a live group. Return the context
 * of that group, or NULL when no level is left. Context: see perf_counter_cgroup_ctx().
 */
static inline struct perf_counter_ctx *perf_counter_next_cgroup(unsigned long *levels)
{
	struct perf_counter_ctx *ctx = NULL;

	for (; *levels && !ctx; *levels &= *levels - 1)
		ctx = perf_counter_cgroup_ctx(__ffs(*levels));
	return ctx;
}

#endif /* _PERF_COUNTER_COUNTER_CGROUP_H */
