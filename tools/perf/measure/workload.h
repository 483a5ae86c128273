/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command that is measured: forked and held back until its counters are
 * open, then executed.
 */
#ifndef PERF_MEASURE_WORKLOAD_H
#define PERF_MEASURE_WORKLOAD_H

#include <sys/types.h>

#include "util/util.h"

/* What shells answer for a command that cannot be executed. */
#define EXIT_NOT_EXECUTED 127

/**
 * struct workload - the command
 * @pid: its process; 0: there is none
 * @command: its name, for messages
 * @go: closing it lets the child live, writing to it lets it exec
 * @exec_error: errno comes out of here when exec fails
 */
struct workload {
	pid_t pid;
	const char *command;
	int go;
	int exec_error;
};

/**
 * workload_prepare() - fork the process that will execute a command
 * @w: gets the process
 * @argv: command and arguments, up to a NULL
 * @err: says why there is no new process
 *
 * The child ends by itself if the caller goes away before workload_start().
 *
 * Return: 0, or -1 with @err set.
 */
int workload_prepare(struct workload *w, char **argv, struct error *err);

/**
 * workload_start() - let the child execute the command
 * @w: the command
 * @err: says why the command cannot be executed
 *
 * Return: 0 when exec is done, or -1 with @err set and the child reaped.
 */
int workload_start(struct workload *w, struct error *err);

/* Reap a child that was never started. */
void workload_cancel(struct workload *w);

#endif
