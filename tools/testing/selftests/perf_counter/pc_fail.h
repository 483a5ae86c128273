/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Have the n-th allocation of a thread fail, on kernels with CONFIG_FAULT_INJECTION.
 * Documentation/fault-injection/fault-injection.rst describes the files.
 */
#ifndef PC_FAIL_H
#define PC_FAIL_H

#include "pc.h"

#define PC_DEBUGFS "/sys/kernel/debug"

/* Let allocations from a slab cache fail, or not. Returns 0 or an errno. */
int pc_fail_cache(const char *name, bool on);

/*
 * Let allocations fail from slab caches whose names begin with @prefix: "" for all caches, NULL for
 * none. Allocations of the kernel's checkers do not fail: a checker without memory stops with a
 * message in the log. Returns 0 or -1.
 */
int pc_fail_caches(const char *prefix);

/* Let allocations of pages of any order fail, or not. Returns 0 or -1. */
int pc_fail_pages(bool on);

/*
 * Configure the failures: allocations may fail whether they may sleep or not. With
 * PC_FAIL_VERBOSE=2 in the environment the kernel's log has the stack of each failure. Returns 0,
 * or -1 if the kernel lacks fault injection.
 */
int pc_fail_prepare(void);

/* Open the fail-nth file of the calling thread. Returns a descriptor, or -1 with errno. */
int pc_fail_open(void);

/* Have the @nth allocation of the thread from now on fail, counted from 1. With 0 none fails. */
void pc_fail_nth(int fd, unsigned int nth);

/* True if the allocation of pc_fail_nth() has failed. */
bool pc_fail_happened(int fd);

#endif /* PC_FAIL_H */
