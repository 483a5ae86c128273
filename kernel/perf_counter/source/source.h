/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The header of source/, the event sources.
 *
 * A source is a PMU that registers with context/ and reports overflows to it. context/
 * does not distinguish kinds of PMU. The declarations here are for other sources and
 * for tests.
 */
#ifndef _PERF_COUNTER_SOURCE_SOURCE_H
#define _PERF_COUNTER_SOURCE_SOURCE_H

#include <linux/align.h>
#include <uapi/linux/perf_counter.h>

#include "../context/context.h"
#include "../context/overflow.h"

/**
 * struct perf_counter_hw_pmu - a PMU driven by a backend
 * @pmu: PMU as context/ sees it
 * @backend: driver of the PMU
 * @users: number of references: one for each descriptor, one more while the PMU stays
 *	claimed for the watchdog
 * @claimed: flag: perf_counter has the PMU. While the PMU has users, it is claimed unless the
 *	administrator has taken it, or its only user is being handed over to perf_events
 * @node: entry in the list of hardware PMUs, which halt while the machine sleeps
 */
struct perf_counter_hw_pmu {
	struct perf_counter_pmu			pmu;
	const struct perf_counter_backend	*backend;
	unsigned int				users;
	bool					claimed;
	struct list_head			node;
};

/* Find the hardware PMU that embeds a PMU. */
static inline struct perf_counter_hw_pmu *
perf_counter_hw_pmu_of(const struct perf_counter_pmu *pmu)
{
	return container_of(pmu, struct perf_counter_hw_pmu, pmu);
}

/* hw_counter.c */
int perf_counter_hw_pmu_register(struct perf_counter_hw_pmu *hw_pmu,
				 const struct perf_counter_backend *backend);
void perf_counter_hw_pmu_unregister(struct perf_counter_hw_pmu *hw_pmu);

/* hw_owner.c */
int perf_counter_hw_get(struct perf_counter_hw_pmu *hw_pmu);
void perf_counter_hw_put(struct perf_counter_hw_pmu *hw_pmu);
int perf_counter_hw_begin_move(struct perf_counter_hw_pmu *hw_pmu);
void perf_counter_hw_cancel_move(struct perf_counter_hw_pmu *hw_pmu);
void perf_counter_hw_owner_add(struct perf_counter_hw_pmu *hw_pmu);
void perf_counter_hw_owner_remove(struct perf_counter_hw_pmu *hw_pmu);
int perf_counter_hw_set_users(int users);

/* fit.c */
bool perf_counter_hw_validate_group(const struct perf_counter_desc *leader,
				    const struct perf_counter_desc *desc);

/* watchdog.c */
#ifdef CONFIG_HARDLOCKUP_DETECTOR_PERF
int perf_counter_watchdog_claim(const struct perf_counter_backend *backend);
void perf_counter_watchdog_release(const struct perf_counter_backend *backend);
unsigned long perf_counter_watchdog_stay(void);
void perf_counter_watchdog_forget_moves(void);
void perf_counter_watchdog_restart(void);
void perf_counter_watchdog_overflow(struct perf_counter_desc *desc,
				    const struct perf_counter_sample *sample, struct pt_regs *regs);

/* Test whether a descriptor is the watchdog's. */
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

static inline void perf_counter_watchdog_restart(void) { }

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

/*
 * Maximum number of bytes that perf_counter_syscall_put() writes: six arguments, each with a NUL.
 */
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
