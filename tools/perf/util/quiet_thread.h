/* SPDX-License-Identifier: GPL-2.0 */
/* Threads that receive no signals. */
#ifndef PERF_UTIL_QUIET_THREAD_H
#define PERF_UTIL_QUIET_THREAD_H

#include <sys/types.h>

/**
 * quiet_thread_start() - Start a thread with all signals blocked
 * @thread: receives the thread
 * @run: function of the thread
 * @context: argument of @run
 *
 * All signals are for the calling thread, also those that it blocks later.
 *
 * Return: 0 or a positive errno.
 */
int quiet_thread_start(pthread_t *thread, void *(*run)(void *), void *context);

#endif
