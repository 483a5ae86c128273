/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The measurement: events by name, a target, the counters that are opened for them, the rings
 * that the kernel fills, and the end.
 *
 * measure/ leaves records as the kernel wrote them; file/ decodes them.
 *
 * Uses: util
 */
#ifndef PERF_MEASURE_H
#define PERF_MEASURE_H

#include "syscall.h"		/* the system call in use, and what it supports */
#include "branch_filter.h"	/* filters of branch records */
#include "buffers.h"		/* sampling counters, and the rings that they fill */
#include "counters.h"		/* the descriptors of a measurement */
#include "event_names.h"	/* events with names in the tool */
#include "events.h"		/* events as users write them */
#include "pmu.h"		/* PMUs and their descriptions in sysfs */
#include "pmu_holder.h"		/* the subsystem that uses the PMU */
#include "ring.h"		/* the reader's side of a ring */
#include "sampling.h"		/* frequency and contents of samples */
#include "target.h"		/* a command, tasks or CPUs */
#include "tracepoints.h"	/* tracepoints in tracefs */
#include "vendor_events.h"	/* events by vendors' names, of libpfm4 */
#include "watch.h"		/* signals, ends, ticks and data */
#include "weak_groups.h"	/* groups that may be split */
#include "workload.h"		/* the process of the command */

#endif
