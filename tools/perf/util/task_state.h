/* SPDX-License-Identifier: GPL-2.0 */
/* The state of a task, as the events of the scheduler have it. */
#ifndef PERF_UTIL_TASK_STATE_H
#define PERF_UTIL_TASK_STATE_H

#include <stdint.h>

/*
 * Bits of prev_state that say why the task sleeps. For a preempted task, none of them is set, but
 * a higher bit that depends on the kernel (include/trace/events/sched.h: TASK_REPORT and
 * TASK_REPORT_MAX).
 */
#define TASK_STATE_SLEEPS 0xffU

/*
 * Return the letter of a task's state. If several bits of the state are set, the lowest one
 * decides.
 */
static inline char task_state_letter(uint64_t state)
{
	static const char letters[] = "SDTtXZPI";
	const uint64_t sleeps = state & TASK_STATE_SLEEPS;

	return sleeps ? letters[__builtin_ctzll(sleeps)] : 'R';
}

#endif
