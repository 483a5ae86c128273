/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is measured: events by their names, a target, the counters that are opened
 * for them, the rings that these fill, and when it ends.
 *
 * Bytes leave it as the kernel wrote them: what is in a record is not known here.
 *
 * Uses: util
 */
#ifndef PERF_MEASURE_H
#define PERF_MEASURE_H

#include "syscall.h"		/* which of the two system calls, and what it can */
#include "branch_filter.h"	/* which branches are recorded */
#include "buffers.h"		/* counters that sample, and all the rings that they fill */
#include "counters.h"		/* a descriptor per event, CPU and task, as few as will do */
#include "event_names.h"	/* events that have names of their own */
#include "events.h"		/* events as users write them */
#include "pmu.h"		/* which PMUs there are, and what they say of themselves */
#include "pmu_holder.h"		/* who has the PMU */
#include "ring.h"		/* the reader's side of a ring */
#include "sampling.h"		/* how often, and what is in a sample */
#include "target.h"		/* a command, tasks or CPUs */
#include "tracepoints.h"	/* tracepoints, as tracefs has them */
#include "vendor_events.h"	/* events as the makers of processors call them */
#include "watch.h"		/* when it ends */
#include "weak_groups.h"	/* groups that need not be */
#include "workload.h"		/* the command */

#endif
