/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls that have not returned yet: what a thread is in, from its beginning to its end.
 */
#ifndef PERF_TRACE_PENDING_CALLS_H
#define PERF_TRACE_PENDING_CALLS_H

#include "util/util.h"
#include "call.h"

/**
 * struct calls - the calls of all threads
 * @table: the system calls that there are
 * @done: called with each call that has returned, or will not, or of which it is not known
 * @context: its first argument
 * @threads: by tid
 */
struct calls {
	struct syscall_table table;
	void (*done)(void *context, uint32_t pid, uint32_t tid, const struct call *call);
	void *context;
	struct hash_table threads;
};

/* A thread makes a call, which is taken over. One that it was in must have ended. */
void calls_begin(struct calls *calls, uint32_t pid, uint32_t tid, struct call *call);

/* A thread's call of number @nr returns @ret at @time. */
void calls_return(struct calls *calls, uint32_t pid, uint32_t tid, long nr, int64_t ret,
		  uint64_t time);

/* A thread creates another: that one will return from a call that it has not made. */
void calls_fork(struct calls *calls, uint32_t ptid, uint32_t tid);

/* Of a thread of which no call was seen, it is known that it is of this machine's own kind. */
void calls_expect_native(struct calls *calls, uint32_t tid);

/* A thread has ended. */
void calls_exit(struct calls *calls, uint32_t pid, uint32_t tid);

/* It is over: all that have not returned are handed on. */
void calls_end(struct calls *calls);

void calls_free(struct calls *calls);

#endif
