/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between perf_counter's x86 backend and the rest of the architecture, the drivers of
 * perf_events included.
 */
#ifndef _ASM_X86_PERF_COUNTER_H
#define _ASM_X86_PERF_COUNTER_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct perf_guest_switch_msr;

/*
 * arch/x86/events/core.c decides which subsystem drives the PMU: perf_events, unless it has lent
 * the hardware to perf_counter.
 */
extern bool x86_hardware_lent;
int x86_lend_hardware(void);
void x86_return_hardware(void);

/* Return the number of perf_events' events that use the hardware. */
unsigned int x86_hardware_users(void);

/**
 * x86_hardware_is_lent() - Tell whether perf_counter drives the PMU
 *
 * While IRQs are off on this CPU, the answer false stays true for this CPU: perf_counter touches
 * the registers of a CPU only after an interrupt or a task switch there.
 *
 * Context: Any context.
 * Return: true if perf_counter drives the PMU.
 */
static __always_inline bool x86_hardware_is_lent(void)
{
	return unlikely(READ_ONCE(x86_hardware_lent));
}

/* Return the type that perf_events gave the PMU of a hybrid CPU's small cores; -1 without one. */
int x86_small_pmu_type(void);

#ifdef CONFIG_PERF_COUNTERS
DECLARE_PER_CPU(bool, x86_user_reads_here);

/**
 * x86_user_reads() - Tell whether the current task may read perf_counter's counters by RDPMC
 *
 * Code that writes CR4.PCE for another reason asks this: switching to another address space and
 * back, while kernel text is patched, must leave CR4.PCE unchanged.
 *
 * Context: IRQs off.
 * Return: true if the task may execute RDPMC.
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
