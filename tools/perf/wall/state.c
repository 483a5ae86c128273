// SPDX-License-Identifier: GPL-2.0
/* The states of a thread, and the reasons for which it is blocked. */
#include <string.h>

#include "util/util.h"
#include "state.h"

const char *wall_state_name(enum wall_state state)
{
	static const char *const names[WALL_STATES] = {
		[WALL_ON_CPU]		= "on CPU",
		[WALL_PREEMPTED]	= "preempted",
		[WALL_RUNNABLE]		= "runnable",
		[WALL_SLEEPING]		= "sleeping",
		[WALL_FUTEX]		= "futex",
		[WALL_KERNEL_LOCK]	= "kernel lock",
		[WALL_IO]		= "I/O",
		[WALL_UNINTERRUPTIBLE]	= "uninterruptible",
		[WALL_STOPPED]		= "stopped",
		[WALL_UNKNOWN]		= "unknown",
	};

	return names[state];
}

bool wall_state_is_blocked(enum wall_state state)
{
	return state >= WALL_SLEEPING;
}

enum wall_state wall_state_of_letter(char letter, bool waits)
{
	if (waits)
		return WALL_PREEMPTED;
	switch (letter) {
	case 'S':
	case 'I':
		return WALL_SLEEPING;
	case 'D':
		return WALL_UNINTERRUPTIBLE;
	case 'T':
	case 't':
	case 'P':
		return WALL_STOPPED;
	default:
		return WALL_UNKNOWN;
	}
}

static bool begins_with_one_of(const char *name, const char *const *starts, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	}
	return false;
}

bool wall_state_refine(enum wall_state *state, const char *function)
{
	static const char *const futexes[] = { "futex_", "__futex_", "do_futex" };
	static const char *const locks[] = {
		"__mutex_lock", "mutex_lock", "__ww_mutex_", "ww_mutex_", "rwsem_down_", "down_",
		"__down", "percpu_rwsem_", "percpu_down_", "__percpu_down", "rt_mutex_",
		"__rt_mutex_", "rtlock_", "rt_spin_", "rwbase_",
	};

	if (*state != WALL_SLEEPING && *state != WALL_UNINTERRUPTIBLE)
		return true;
	if (!strncmp(function, "io_schedule", strlen("io_schedule")))
		*state = WALL_IO;
	else if (begins_with_one_of(function, futexes, ARRAY_SIZE(futexes)))
		*state = WALL_FUTEX;
	else if (begins_with_one_of(function, locks, ARRAY_SIZE(locks)))
		*state = WALL_KERNEL_LOCK;
	else
		return false;
	return true;
}

bool wall_is_scheduler_function(const char *name)
{
	static const char *const starts[] = {
		"__schedule", "schedule", "io_schedule", "preempt_schedule", "__cond_resched",
		"finish_task_switch", "try_to_wake_up", "ttwu_", "wake_up_process", "default_wake_function",
		"autoremove_wake_function", "__wake_up", "wake_up_q", "perf_trace_sched_",
		"__traceiter_sched_", "trace_sched_",
	};

	return begins_with_one_of(name, starts, ARRAY_SIZE(starts));
}
