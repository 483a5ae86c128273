/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waiting during a measurement: for its end (the command or tasks exit, a signal comes, the
 * time is up), for ticks and for data to read.
 */
#ifndef PERF_MEASURE_WATCH_H
#define PERF_MEASURE_WATCH_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "util/util.h"

/* Return values of watch_wait(). */
enum {
	WATCH_TICK	= 1 << 0,	/* the interval has passed */
	WATCH_DATA	= 1 << 1,	/* a descriptor of watch_data() is readable */
	WATCH_END	= 1 << 2,	/* the measurement ends */
	WATCH_SNAPSHOT	= 1 << 3,	/* SIGUSR2 came */
	WATCH_INPUT	= 1 << 4,	/* the descriptor of watch_input() is readable */
	WATCH_RESIZE	= 1 << 5,	/* the size of the terminal has changed */
};

/**
 * struct watch - sources of the events that a measurement waits for
 * @epoll: epoll descriptor of all other descriptors
 * @signals: descriptor of SIGINT, SIGTERM, SIGHUP and SIGCHLD
 * @interval: timer of WATCH_TICK, or -1
 * @limit: timer of WATCH_END, or -1
 * @snapshots: descriptor of SIGUSR2, or -1
 * @resizes: descriptor of SIGWINCH, or -1
 * @grace: timer after which the command is killed, or -1
 * @tasks: descriptor of each task that is waited for
 * @nr_tasks: number of @tasks
 * @alive: number of tasks that have not exited
 * @command: process of the command; 0 if there is none or it has exited
 * @signal: signal that ended the measurement, or 0
 * @status: wait status of the command
 * @usage: resources that the command used
 * @command_ended: @status and @usage are valid
 * @command_killed: the command was killed because @grace was over
 */
struct watch {
	int epoll;
	int signals;
	int interval;
	int limit;
	int snapshots;
	int resizes;
	int grace;
	int *tasks;
	size_t nr_tasks;
	size_t alive;
	pid_t command;
	int signal;
	int status;
	struct rusage usage;
	bool command_ended;
	bool command_killed;
};

/* The state before watch_init(), with nothing to free. */
#define WATCH_NOTHING \
	{ .epoll = -1, .signals = -1, .interval = -1, .limit = -1, .snapshots = -1, \
	  .resizes = -1, .grace = -1 }

/* Block the signals and wait for them. Call this before the command is forked. */
int watch_init(struct watch *w, struct error *err);

/* Let the exit of @pid, a child, end the measurement. */
void watch_command(struct watch *w, pid_t pid);

/* Let the exit of the last of @tids end the measurement. */
int watch_tasks(struct watch *w, const struct int_list *tids, struct error *err);

/*
 * Let watch_wait() return WATCH_TICK every @ms milliseconds from now on. A further call changes the
 * interval.
 */
int watch_interval(struct watch *w, unsigned int ms, struct error *err);

/* End the measurement after @seconds. */
int watch_limit(struct watch *w, double seconds, struct error *err);

/* Let watch_wait() return WATCH_SNAPSHOT on SIGUSR2, which has no other effect then. */
int watch_snapshots(struct watch *w, struct error *err);

/* Let watch_wait() return WATCH_RESIZE when the size of the terminal changes. */
int watch_resizes(struct watch *w, struct error *err);

/*
 * Let watch_wait() return WATCH_INPUT when @fd is readable. Return: false if @fd cannot be waited
 * for, for example because it is a regular file.
 */
bool watch_input(struct watch *w, int fd);

/* Forget a descriptor of watch_input(). */
void watch_no_input(struct watch *w, int fd);

/* Let watch_wait() return WATCH_DATA when @fd is readable. */
int watch_data(struct watch *w, int fd, struct error *err);

/**
 * watch_wait() - wait until something happens
 * @w: sources of events
 *
 * Without a command, the first signal ends the measurement at once. With a command, the first
 * signal makes perf send SIGTERM to the command, a second signal kills it, and the measurement ends
 * when it exits. A signal of the terminal is not passed on, because the terminal has sent it to the
 * command, too.
 *
 * Return: WATCH_ bits.
 */
unsigned int watch_wait(struct watch *w);

/**
 * watch_end_command() - end the command; watch_wait() reports its exit
 * @w: sources of events
 * @grace: seconds from SIGTERM to SIGKILL
 * @err: receives the reason of a failure
 *
 * Return: 0, or -1 with @err set.
 */
int watch_end_command(struct watch *w, double grace, struct error *err);

/**
 * watch_stop_command() - end the command because the measurement cannot go on, and wait for it
 * @w: sources of events; watch_wait() is not called any more
 * @grace: seconds from SIGTERM to SIGKILL; a signal to perf ends them early
 */
void watch_stop_command(struct watch *w, double grace);

/* Terminate perf by the signal that ended the measurement, if there was one. */
void watch_raise(struct watch *w);

void watch_free(struct watch *w);

/**
 * exit_status() - translate a wait status to an exit status
 * @status: wait status of the command
 *
 * Return: the exit status of the command, or 128 plus the number of the signal that killed it.
 */
int exit_status(int status);

#endif
