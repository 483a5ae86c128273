// SPDX-License-Identifier: GPL-2.0
/*
 * Filters: the modes, CPUs and tasks in which an event does not count.
 */

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "counter.h"

/* Registers for events without registers: all zero, which user_mode() takes for the kernel's. */
struct pt_regs perf_counter_no_regs;

/**
 * perf_counter_filtered() - Apply a counter's filter to an event
 * @counter: an active counter that has a filter
 * @regs: registers of the event
 *
 * Context: any; preemption disabled.
 * Return: true when the event does not count.
 */
bool perf_counter_filtered(struct perf_counter *counter, struct pt_regs *regs)
{
	unsigned int filter = counter->filter;

	if ((filter & FILTER_CPU) && counter->cpu != smp_processor_id())
		return true;
	if ((filter & FILTER_UNLOADED) && !READ_ONCE(counter->loaded))
		return true;
	if (filter & FILTER_HOST)
		return true;
	if (filter & (user_mode(regs) ? FILTER_USER : FILTER_KERNEL))
		return true;
	return (filter & FILTER_IDLE) && perf_counter_is_idle();
}
