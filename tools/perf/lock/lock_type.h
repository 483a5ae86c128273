/* SPDX-License-Identifier: GPL-2.0 */
/* Types of the kernel's locks, and the names of the functions that take them. */
#ifndef PERF_LOCK_LOCK_TYPE_H
#define PERF_LOCK_LOCK_TYPE_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of flags in lock:contention_begin: include/trace/events/lock.h, LCB_F_*. */
#define LOCK_SPIN	(1U << 0)
#define LOCK_READ	(1U << 1)
#define LOCK_WRITE	(1U << 2)
#define LOCK_RT		(1U << 3)
#define LOCK_PERCPU	(1U << 4)
#define LOCK_MUTEX	(1U << 5)
/* A bit that the kernel does not have: a futex. */
#define LOCK_FUTEX	(1U << 31)

/* Return the name of a type, with ":R" or ":W" if it has readers and writers. */
const char *lock_type_name(uint32_t flags);

/* Return true if a comma-separated list has the type, or its name without ":R" and ":W". */
bool lock_type_in_list(const char *list, uint32_t flags);

/*
 * Return the first name of a comma-separated list that is no type of locks, or NULL; it ends at a
 * comma or at the end of the list.
 */
const char *lock_type_unknown(const char *list);

/*
 * Return true for the name of a usual function of the kernel that takes locks for its callers, or
 * switches tasks. Needed for kernels whose sections of such functions are not known.
 */
bool lock_is_lock_function(const char *name);

/* Return true if the kernel's function is a part of the tracepoints. */
bool lock_is_trace_function(const char *name);

/* Return true if the function of a C library waits on behalf of its callers. */
bool lock_is_wait_function(const char *name);

#endif
