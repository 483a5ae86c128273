/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What /proc says of a task.
 */
#ifndef PERF_PROC_STATUS_H
#define PERF_PROC_STATUS_H

#include <sys/types.h>

/**
 * proc_status() - a number of a task
 * @tid: the task
 * @key: which: "Tgid" or "PPid", as proc_pid_status(5) has them
 *
 * Return: the number, or -1 when there is no such task any more.
 */
pid_t proc_status(pid_t tid, const char *key);

#endif
