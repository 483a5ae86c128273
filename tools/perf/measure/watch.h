/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When a measurement ends: the command or the tasks have ended, a signal came,
 * the time is up. And what comes in between: ticks, and data to read.
 */
#ifndef PERF_MEASURE_WATCH_H
#define PERF_MEASURE_WATCH_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "util/util.h"

/* What watch_wait() answers. */
enum {
	WATCH_TICK	= 1 << 0,	/* the interval has passed */
	WATCH_DATA	= 1 << 1,	/* a descriptor of watch_data() is readable */
	WATCH_END	= 1 << 2,	/* the measurement ends */
	WATCH_SNAPSHOT	= 1 << 3,	/* SIGUSR2 came */
	WATCH_INPUT	= 1 << 4,	/* the descriptor of watch_input() is readable */
	WATCH_RESIZE	= 1 << 5,	/* the terminal has another size */
};

/**
 * struct watch - what is waited for
 * @epoll: the descriptor of all that follows
 * @signals: SIGINT, SIGTERM, SIGHUP and SIGCHLD come out of here
 * @interval: timer of WATCH_TICK, or -1
 * @limit: timer of WATCH_END, or -1
 * @snapshots: SIGUSR2 comes out of here, or -1
 * @resizes: SIGWINCH comes out of here, or -1
 * @grace: timer after which the command is killed, or -1
 * @tasks: a descriptor per task whose end is waited for
 * @nr_tasks: how many there are
 * @alive: how many of them have not ended
 * @command: the command's process, 0 when there is none or it has ended
 * @signal: the signal that ended the measurement, or 0
 * @status: how the command ended, as waitpid() has it
 * @usage: what the command used; valid when it has ended
 * @command_ended: @status and @usage are valid
 * @command_killed: it had not ended when @grace was over
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

/* Before watch_init(): nothing to free. */
#define WATCH_NOTHING \
	{ .epoll = -1, .signals = -1, .interval = -1, .limit = -1, .snapshots = -1, \
	  .resizes = -1, .grace = -1 }

/* Block and watch the signals. To be called before anything is forked. */
int watch_init(struct watch *w, struct error *err);

/* The end of @pid, a child, ends the measurement. */
void watch_command(struct watch *w, pid_t pid);

/* The end of all of @tids ends the measurement. */
int watch_tasks(struct watch *w, const struct int_list *tids, struct error *err);

/* WATCH_TICK every @ms milliseconds from now on; may be called again with others. */
int watch_interval(struct watch *w, unsigned int ms, struct error *err);

/* The measurement ends in @seconds. */
int watch_limit(struct watch *w, double seconds, struct error *err);

/* WATCH_SNAPSHOT when SIGUSR2 comes; it does nothing else then. */
int watch_snapshots(struct watch *w, struct error *err);

/* WATCH_RESIZE when the terminal changes its size. */
int watch_resizes(struct watch *w, struct error *err);

/* WATCH_INPUT when @fd is readable. Return: false when it is nothing to wait for, as a file. */
bool watch_input(struct watch *w, int fd);

/* WATCH_DATA when @fd is readable. */
int watch_data(struct watch *w, int fd, struct error *err);

/**
 * watch_wait() - wait until something happens
 * @w: what is waited for
 *
 * A first signal from outside makes the command be asked to end (SIGTERM),
 * unless the signal is the terminal's, which has sent it to the command too.
 * The measurement ends with the command; without one it ends at once. A second
 * signal kills the command.
 *
 * Return: WATCH_ bits.
 */
unsigned int watch_wait(struct watch *w);

/**
 * watch_end_command() - end the command; watch_wait() tells when it has ended
 * @w: what is waited for
 * @grace: how many seconds it has for that, from SIGTERM to SIGKILL
 * @err: says why that cannot be watched
 *
 * Return: 0, or -1 with @err set.
 */
int watch_end_command(struct watch *w, double grace, struct error *err);

/* End as the signal that came would have ended the process, if one came. */
void watch_raise(struct watch *w);

void watch_free(struct watch *w);

/**
 * exit_status() - the exit status that tells how a command ended
 * @status: as waitpid() has it
 *
 * Return: its own exit status, or 128 and the number of the signal.
 */
int exit_status(int status);

#endif
