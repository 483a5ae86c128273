/* SPDX-License-Identifier: GPL-2.0 */
/* The states of a thread, and the reasons for which it is blocked. */
#ifndef PERF_WALL_STATE_H
#define PERF_WALL_STATE_H

#include <stdbool.h>

/* States; a state from WALL_SLEEPING to WALL_STOPPED is one of a blocked thread. */
enum wall_state {
	WALL_ON_CPU,
	WALL_PREEMPTED,		/* waits for a CPU, because another thread took it */
	WALL_RUNNABLE,		/* waits for a CPU after it was woken up or created */
	WALL_SLEEPING,
	WALL_FUTEX,		/* sleeps in futex(2) */
	WALL_KERNEL_LOCK,
	WALL_IO,
	WALL_UNINTERRUPTIBLE,
	WALL_STOPPED,
	WALL_UNKNOWN,		/* records are missing */
	WALL_STATES,
};

/* Return the name of a state. */
const char *wall_state_name(enum wall_state state);

/* Return true if a thread in this state needs a wake-up before it runs again. */
bool wall_state_is_blocked(enum wall_state state);

/* Return the state of a thread that left its CPU, by its letter in sched_switch. */
enum wall_state wall_state_of_letter(char letter, bool waits);

/**
 * wall_state_refine() - Find out more about a blocked thread
 * @state: state by the letter; set to the reason that the function stands for
 * @function: name of a function of the kernel in the call chain at which the thread stopped
 *
 * Return: true if the function says why the thread is blocked, so that no other function of the
 * chain has to be looked at.
 */
bool wall_state_refine(enum wall_state *state, const char *function);

/* Return true if the kernel's function stops threads for its callers, or wakes them up. */
bool wall_is_scheduler_function(const char *name);

#endif
