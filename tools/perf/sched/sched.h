/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who waited how long for a CPU: tasks as the tracepoints of the scheduler tell of them.
 *
 * Uses: file, util
 */
#ifndef PERF_SCHED_H
#define PERF_SCHED_H

#include "latency.h"		/* how long each task waited, all told */
#include "switch_map.h"		/* which CPU runs whom, from switch to switch */
#include "sched_event.h"	/* what an event of the scheduler says */
#include "timehist.h"		/* each time that a task ran, and who woke it up */

#endif
