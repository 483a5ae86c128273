/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls, as raw_syscalls tells of them: what they were given, what became of them, and
 * how long that took.
 *
 * Uses: measure, machine, util
 */
#ifndef PERF_TRACE_H
#define PERF_TRACE_H

#include "call.h"		/* a system call that was made */
#include "pending_calls.h"		/* those that have not returned yet */
#include "line.h"		/* what happened, a line each */
#include "summary.h"		/* put together, by thread */
#include "syscalls.h"		/* system calls by their numbers */

#endif
