/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What /proc says of a task.
 */
#ifndef PERF_UTIL_PROC_STATUS_H
#define PERF_UTIL_PROC_STATUS_H

#include <sys/types.h>

#include "int_list.h"

/**
 * proc_status() - a number of a task
 * @tid: the task
 * @key: which: "Tgid", "PPid" or "Threads", as proc_pid_status(5) has them
 *
 * Return: the number, or -1 when there is no such task any more.
 */
pid_t proc_status(pid_t tid, const char *key);

/**
 * proc_list_threads() - the threads of a process
 * @pid: it, or one of its threads
 * @tids: gets them behind what it has; none when there is no such process any more
 *
 * Who comes or goes meanwhile may be listed or not. Where the one that the kernel is at ends
 * just then, others may be missing: the kernel's list goes on from there.
 */
void proc_list_threads(pid_t pid, struct int_list *tids);

#endif
