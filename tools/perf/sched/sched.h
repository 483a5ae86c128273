/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scheduling of tasks, by the tracepoints of the scheduler.
 *
 * Uses: file, util
 */
#ifndef PERF_SCHED_H
#define PERF_SCHED_H

#include "latency.h"		/* the scheduling delays of each task */
#include "run_summary.h"	/* the runs of each task, summed up */
#include "sched_event.h"	/* events of the scheduler, decoded */
#include "switch_map.h"		/* the task on each CPU, from switch to switch */
#include "timehist.h"		/* each time that a task ran, and its wake-up */

#endif
