/* SPDX-License-Identifier: GPL-2.0 */
/* Facts about a task from /proc. */
#ifndef PERF_UTIL_PROC_STATUS_H
#define PERF_UTIL_PROC_STATUS_H

#include <sys/types.h>

#include "int_list.h"

/**
 * proc_status() - read a number from /proc/PID/status
 * @tid: the task
 * @key: name of the line, see proc_pid_status(5): "Tgid", "PPid" or "Threads"
 *
 * Return: the number, or -1 if the task has exited.
 */
pid_t proc_status(pid_t tid, const char *key);

/**
 * proc_list_threads() - list the threads of a process
 * @pid: id of the process or of one of its threads
 * @tids: receives the thread ids after those it contains; nothing if the process has exited
 *
 * Threads that are created or exit during the call may be listed or not. If the thread at which
 * the kernel's listing stands exits, other threads may be missing as well: the listing
 * continues from that thread.
 */
void proc_list_threads(pid_t pid, struct int_list *tids);

/*
 * Return the number that a process has in its own PID namespace, its own number without one; -1 if
 * it has exited.
 */
pid_t proc_own_number(pid_t pid);

#endif
