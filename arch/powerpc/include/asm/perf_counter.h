/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf_counter's driver of the PMU and the rest of the architecture, perf_events' driver
 * included, have to know of each other.
 */
#ifndef _ASM_POWERPC_PERF_COUNTER_H
#define _ASM_POWERPC_PERF_COUNTER_H

#include <linux/types.h>

/* How many events of perf_events need the hardware. */
#ifdef CONFIG_PPC_PERF_CTRS
unsigned int power_hardware_users(void);
#else
static inline unsigned int power_hardware_users(void)
{
	return 0;
}
#endif

#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
bool power_counters_in_use(void);
void power_counters_sleep(void);
void power_counters_wake(void);
#else
static inline bool power_counters_in_use(void)
{
	return false;
}

static inline void power_counters_sleep(void) { }
static inline void power_counters_wake(void) { }
#endif

#endif /* _ASM_POWERPC_PERF_COUNTER_H */
