/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls of traced threads, by the tracepoints of raw_syscalls: arguments, results and
 * durations. Other tracepoints are printed between them.
 *
 * Uses: measure, machine, util
 */
#ifndef PERF_TRACE_H
#define PERF_TRACE_H

#include "call.h"		/* a system call of a thread */
#include "chosen_points.h"	/* tracepoints that the user chose */
#include "fd_calls.h"		/* paths of descriptors, by calls */
#include "fd_effects.h"		/* calls that open and close descriptors */
#include "fd_paths.h"		/* paths of the files of descriptors */
#include "held_lines.h"		/* lines that wait for paths */
#include "line.h"		/* a line of text for each event */
#include "pending_calls.h"	/* calls that have not returned */
#include "recorded_event.h"	/* events of a recording */
#include "summary.h"		/* sums by thread */
#include "syscalls.h"		/* system calls by number */

#endif
