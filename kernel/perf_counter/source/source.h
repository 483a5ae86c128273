/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The door of source/: where events come from.
 *
 * A source is a PMU that registers with context/, and tells it when a counter has
 * overflowed. Nobody else asks what kind of PMU it is; what is declared here is for the
 * other sources, and for tests.
 */
#ifndef _PERF_COUNTER_SOURCE_SOURCE_H
#define _PERF_COUNTER_SOURCE_SOURCE_H

#include <linux/align.h>
#include <uapi/linux/perf_counter.h>

#include "../context/context.h"

/**
 * struct perf_counter_hw_pmu - a PMU that a backend drives
 * @pmu: what context/ knows of it
 * @backend: drives it
 * @users: the descriptors, and one more while the PMU stays; with the first, the PMU is claimed
 * @node: among those that stop when the machine does
 */
struct perf_counter_hw_pmu {
	struct perf_counter_pmu			pmu;
	const struct perf_counter_backend	*backend;
	unsigned int				users;
	struct list_head			node;
};

/* pmu.c */
int perf_counter_hw_pmu_register(struct perf_counter_hw_pmu *hw_pmu,
				 const struct perf_counter_backend *backend);
void perf_counter_hw_pmu_unregister(struct perf_counter_hw_pmu *hw_pmu);
int perf_counter_hw_set_users(int users);

/* watchdog.c */
#ifdef CONFIG_HARDLOCKUP_DETECTOR_PERF
int perf_counter_watchdog_claim(const struct perf_counter_backend *backend);
void perf_counter_watchdog_release(const struct perf_counter_backend *backend);
unsigned long perf_counter_watchdog_stay(void);
void perf_counter_watchdog_forget_moves(void);
void perf_counter_watchdog_overflow(struct perf_counter_desc *desc,
				    const struct perf_counter_sample *sample, struct pt_regs *regs);

/* Is a descriptor one of the watchdog's? */
static inline bool perf_counter_is_watchdog(const struct perf_counter_desc *desc)
{
	return desc->overflow == perf_counter_watchdog_overflow;
}
#else
static inline int perf_counter_watchdog_claim(const struct perf_counter_backend *backend)
{
	return backend->claim();
}

static inline void perf_counter_watchdog_release(const struct perf_counter_backend *backend)
{
	backend->release();
}

static inline unsigned long perf_counter_watchdog_stay(void)
{
	return 0;
}

static inline void perf_counter_watchdog_forget_moves(void) { }

static inline bool perf_counter_is_watchdog(const struct perf_counter_desc *desc)
{
	return false;
}
#endif

/* sw.c */
extern struct perf_counter_pmu perf_counter_sw_pmu;
int perf_counter_sw_attr_check(const struct perf_counter_attr *attr);

static inline bool perf_counter_attr_is_clock(const struct perf_counter_attr *attr)
{
	return attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK;
}

/* clock.c */
extern struct perf_counter_pmu perf_counter_clock_pmu;

/* syscall.c */

/* What perf_counter_syscall_put() writes at most: six arguments, and a NUL for each. */
#define PERF_COUNTER_SYSCALL_ROOM \
	(sizeof(struct perf_counter_syscall) + \
	 6 * ALIGN(sizeof(struct perf_counter_syscall_arg) + PERF_COUNTER_SYSCALL_MAX + 2, 8))

#ifdef CONFIG_FTRACE_SYSCALLS
int perf_counter_syscall_prepare(void);
bool perf_counter_syscall_type_is(const char *type, const char *plain);
u32 perf_counter_syscall_put(struct perf_counter_syscall *to, u32 max);
#else
static inline int perf_counter_syscall_prepare(void)
{
	return -EOPNOTSUPP;
}

static inline u32 perf_counter_syscall_put(struct perf_counter_syscall *to, u32 max)
{
	return 0;
}
#endif

#endif /* _PERF_COUNTER_SOURCE_SOURCE_H */
