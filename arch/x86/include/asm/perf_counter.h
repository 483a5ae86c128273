/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf_counter's x86 backend and the rest of the architecture, perf_events' drivers
 * included, have to know of each other.
 */
#ifndef _ASM_X86_PERF_COUNTER_H
#define _ASM_X86_PERF_COUNTER_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct perf_guest_switch_msr;

/*
 * Who drives the PMU is decided in events/core.c: perf_events does, unless it has lent the
 * hardware to perf_counter.
 */
extern bool x86_hardware_lent;
int x86_lend_hardware(void);
void x86_return_hardware(void);

/* The number of events of perf_events that need the hardware. */
unsigned int x86_hardware_users(void);

/**
 * x86_hardware_is_lent() - does perf_counter drive the PMU?
 *
 * False is true of this CPU for as long as its IRQs are off: perf_counter touches no register
 * of a CPU before an interrupt or a task switch there.
 *
 * Context: any.
 * Return: true if so.
 */
static __always_inline bool x86_hardware_is_lent(void)
{
	return unlikely(READ_ONCE(x86_hardware_lent));
}

/* The type that the PMU of a hybrid CPU's small cores has there; -1: there is none. */
int x86_small_pmu_type(void);

#ifdef CONFIG_PERF_COUNTERS
DECLARE_PER_CPU(bool, x86_user_reads_here);

/**
 * x86_user_reads() - may the current task read counters of perf_counter by itself?
 *
 * For whoever writes CR4.PCE for another reason: a change of address spaces and back, while
 * text is patched, leaves it as it was.
 *
 * Context: IRQs off.
 * Return: true if so.
 */
static inline bool x86_user_reads(void)
{
	return this_cpu_read(x86_user_reads_here);
}

void x86_counters_virt(bool on);
struct perf_guest_switch_msr *x86_counters_guest_msrs(int *nr);
#else
static inline bool x86_user_reads(void)
{
	return false;
}

static inline void x86_counters_virt(bool on) { }

static inline struct perf_guest_switch_msr *x86_counters_guest_msrs(int *nr)
{
	return NULL;
}
#endif

#endif /* _ASM_X86_PERF_COUNTER_H */
