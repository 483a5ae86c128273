/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls that open, copy and close descriptors.
 */
#ifndef PERF_TRACE_FD_CALLS_H
#define PERF_TRACE_FD_CALLS_H

#include "call.h"
#include "fd_paths.h"

/* Find the paths of the descriptors in the arguments of a call that begins. */
void fd_calls_find(struct fd_paths *paths, uint32_t pid, uint32_t tid, struct call *call);

/* Apply the start of a call, after fd_calls_find(). */
void fd_calls_begin(struct fd_paths *paths, uint32_t pid, const struct call *call);

/* Apply a call that has returned. */
void fd_calls_return(struct fd_paths *paths, uint32_t pid, const struct call *call);

/**
 * fd_calls_fork() - Apply the creation of a thread or a process
 * @paths: descriptors of all processes
 * @ppid: process that created it
 * @call: current call of the thread that created it; NULL: not recorded
 * @pid: process of the new thread
 */
void fd_calls_fork(struct fd_paths *paths, uint32_t ppid, const struct call *call, uint32_t pid);

#endif
