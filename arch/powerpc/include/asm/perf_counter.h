/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between perf_counter's PMU driver and the rest of the architecture, perf_events' driver
 * included.
 */
#ifndef _ASM_POWERPC_PERF_COUNTER_H
#define _ASM_POWERPC_PERF_COUNTER_H

#include <linux/types.h>

/* Return the number of perf_events' events that use the hardware. */
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
