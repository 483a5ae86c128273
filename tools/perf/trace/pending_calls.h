/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls between their start and their return.
 */
#ifndef PERF_TRACE_PENDING_CALLS_H
#define PERF_TRACE_PENDING_CALLS_H

#include "util/util.h"
#include "call.h"
#include "fd_paths.h"

/**
 * struct calls - the current calls of all threads
 * @table: system calls by number
 * @done: called when a call has returned, will not return, or its return was lost
 * @context: first argument of @done
 * @arch: architecture of threads without a recorded call, an AUDIT_ARCH_* number; 0: that of the
 *	program that runs
 * @threads: threads by tid
 * @paths: descriptors of the processes
 */
struct calls {
	struct syscall_table table;
	void (*done)(void *context, uint32_t pid, uint32_t tid, const struct call *call);
	void *context;
	uint32_t arch;
	struct hash_table threads;
	struct fd_paths paths;
};

/*
 * Begin a call of a thread; takes over @call. If the return of the thread's previous call was
 * lost, that call is passed to @calls->done first.
 */
void calls_begin(struct calls *calls, uint32_t pid, uint32_t tid, struct call *call);

/* Return from call number @nr of a thread with @ret, at @time. */
void calls_return(struct calls *calls, uint32_t pid, uint32_t tid, long nr, int64_t ret,
		  uint64_t time);

/**
 * calls_fork() - Add a new thread
 * @calls: calls of all threads
 * @ppid: process that created it
 * @ptid: thread that created it
 * @pid: process of the new thread
 * @tid: new thread; its first return, from the call that created it, is ignored
 */
void calls_fork(struct calls *calls, uint32_t ppid, uint32_t ptid, uint32_t pid, uint32_t tid);

/* Set a thread's architecture to the native one before its first call. */
void calls_expect_native(struct calls *calls, uint32_t tid);

/* Remove a thread that has exited. */
void calls_exit(struct calls *calls, uint32_t pid, uint32_t tid);

/* Pass all calls that have not returned to @calls->done. */
void calls_end(struct calls *calls);

void calls_free(struct calls *calls);

#endif
