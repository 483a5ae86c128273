/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time that passed for each thread: on the CPU, waiting for a CPU, or blocked.
 *
 * Uses: util
 */
#ifndef PERF_WALL_H
#define PERF_WALL_H

#include "critical_path.h"	/* the threads that a thread waited for, back from its end */
#include "state.h"		/* states of a thread, and reasons for which it is blocked */
#include "thread_times.h"	/* the times of threads as a table */
#include "timeline.h"		/* the spans of each thread's life, from events of the scheduler */

#endif
