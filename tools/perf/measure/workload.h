/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command that is measured: forked, held back until its counters are open, then executed.
 */
#ifndef PERF_MEASURE_WORKLOAD_H
#define PERF_MEASURE_WORKLOAD_H

#include <sys/types.h>

#include "util/util.h"

/* The exit status of shells for a command that cannot be executed. */
#define EXIT_NOT_EXECUTED 127

/**
 * struct workload - the process of the command
 * @pid: process id; 0 without a command
 * @command: name of the command, for messages
 * @go: pipe to the child: a byte makes it exec, closing makes it exit
 * @exec_error: pipe from the child: errno if exec fails
 */
struct workload {
	pid_t pid;
	const char *command;
	int go;
	int exec_error;
};

/**
 * workload_prepare() - fork the process that will execute a command
 * @w: receives the process
 * @argv: command and arguments, with a final NULL
 * @err: receives the reason of a failure
 *
 * The child exits if the caller exits before workload_start().
 *
 * Return: 0, or -1 with @err set.
 */
int workload_prepare(struct workload *w, char **argv, struct error *err);

/**
 * workload_start() - let the child execute the command
 * @w: command
 * @err: receives the reason of a failure
 *
 * Return: 0 once exec has succeeded, or -1 with @err set and the child reaped.
 */
int workload_start(struct workload *w, struct error *err);

/* Reap a child that was never started. */
void workload_cancel(struct workload *w);

#endif
