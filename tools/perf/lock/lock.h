/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waits for locks: those of the kernel, by its tracepoints of contention, and futexes of programs.
 *
 * Uses: util
 */
#ifndef PERF_LOCK_H
#define PERF_LOCK_H

#include "contention.h"		/* sums of waits, by caller, thread or lock */
#include "contention_print.h"	/* these sums as a table */
#include "lock_type.h"		/* types of locks, and functions that take locks */

#endif
