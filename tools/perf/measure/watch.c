// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting during a measurement. Signals, timers, tasks and ring buffers are all descriptors
 * here, so that no event is lost between a test and a sleep.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/util.h"
#include "watch.h"

/* Flag of pidfd_open() for a thread, since Linux 6.9; the value is that of O_EXCL. */
#define THREAD_PIDFD O_EXCL

/* The source of an event of the epoll descriptor. */
enum source { SOURCE_SIGNALS, SOURCE_INTERVAL, SOURCE_LIMIT, SOURCE_TASK, SOURCE_DATA,
	      SOURCE_SNAPSHOTS, SOURCE_RESIZES, SOURCE_INPUT, SOURCE_GRACE };

static uint64_t epoll_tag(enum source kind, int fd)
{
	return (uint64_t)kind << 32 | (uint32_t)fd;
}

static int add_source(struct watch *w, enum source kind, int fd, struct error *err)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = epoll_tag(kind, fd) };

	if (!epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &event))
		return 0;
	error_set(err, "cannot wait for events: %s", strerror(errno));
	return -1;
}

int watch_init(struct watch *w, struct error *err)
{
	sigset_t set;

	*w = (struct watch)WATCH_NOTHING;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* A parent that ignores SIGCHLD cannot read the exit status of its children. */
	signal(SIGCHLD, SIG_DFL);

	w->epoll = epoll_create1(EPOLL_CLOEXEC);
	w->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w->epoll < 0 || w->signals < 0) {
		error_set(err, "cannot wait for signals: %s", strerror(errno));
		return -1;
	}
	return add_source(w, SOURCE_SIGNALS, w->signals, err);
}

void watch_command(struct watch *w, pid_t pid)
{
	w->command = pid;
	w->command_ended = false;
}

/*
 * Open a pidfd of a task. Before Linux 6.9, only processes have a pidfd, which reports the exit of
 * the last thread.
 */
static int open_task(int tid)
{
	int fd = syscall(SYS_pidfd_open, tid, THREAD_PIDFD);
	pid_t pid;

	if (fd >= 0 || errno != EINVAL)
		return fd;
	pid = proc_status(tid, "Tgid");
	return pid > 0 ? syscall(SYS_pidfd_open, pid, 0) : -1;
}

int watch_tasks(struct watch *w, const struct int_list *tids, struct error *err)
{
	size_t i;
	int fd;

	w->tasks = xcalloc(tids->nr, sizeof(*w->tasks));
	for (i = 0; i < tids->nr; i++) {
		fd = open_task(tids->values[i]);
		if (fd < 0)
			continue;
		w->tasks[w->nr_tasks++] = fd;
		if (add_source(w, SOURCE_TASK, fd, err))
			return -1;
	}
	w->alive = w->nr_tasks;
	if (!w->nr_tasks) {
		error_set(err, "the tasks have ended");
		return -1;
	}
	return 0;
}

static int start_timer(struct watch *w, enum source kind, const struct itimerspec *time, int *fd,
		       struct error *err)
{
	*fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (*fd < 0 || timerfd_settime(*fd, 0, time, NULL)) {
		error_set(err, "cannot create a timer: %s", strerror(errno));
		return -1;
	}
	return add_source(w, kind, *fd, err);
}

int watch_interval(struct watch *w, unsigned int ms, struct error *err)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	const struct itimerspec time = { t, t };

	if (w->interval >= 0 && !timerfd_settime(w->interval, 0, &time, NULL))
		return 0;
	return start_timer(w, SOURCE_INTERVAL, &time, &w->interval, err);
}

/* Start a timer that expires once, after @seconds. */
static int start_once(struct watch *w, enum source kind, double seconds, int *fd,
		      struct error *err)
{
	struct timespec t = { .tv_sec = seconds };

	t.tv_nsec = (seconds - t.tv_sec) * 1e9;
	if (!t.tv_sec && !t.tv_nsec)
		t.tv_nsec = 1;		/* 0 would stop the timer */
	return start_timer(w, kind, &(struct itimerspec){ .it_value = t }, fd, err);
}

int watch_limit(struct watch *w, double seconds, struct error *err)
{
	return start_once(w, SOURCE_LIMIT, seconds, &w->limit, err);
}

/* Receive a signal by a descriptor. The signal has no other effect. */
static int watch_signal(struct watch *w, enum source kind, int sig, int *fd, struct error *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_BLOCK, &set, NULL);
	*fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (*fd < 0) {
		error_set(err, "cannot wait for SIG%s: %s", sigabbrev_np(sig), strerror(errno));
		return -1;
	}
	return add_source(w, kind, *fd, err);
}

int watch_snapshots(struct watch *w, struct error *err)
{
	return watch_signal(w, SOURCE_SNAPSHOTS, SIGUSR2, &w->snapshots, err);
}

int watch_resizes(struct watch *w, struct error *err)
{
	return watch_signal(w, SOURCE_RESIZES, SIGWINCH, &w->resizes, err);
}

bool watch_input(struct watch *w, int fd)
{
	struct error err;

	return !add_source(w, SOURCE_INPUT, fd, &err);
}

void watch_no_input(struct watch *w, int fd)
{
	epoll_ctl(w->epoll, EPOLL_CTL_DEL, fd, NULL);
}

int watch_data(struct watch *w, int fd, struct error *err)
{
	return add_source(w, SOURCE_DATA, fd, err);
}

static unsigned int reap_command(struct watch *w)
{
	if (!w->command || wait4(w->command, &w->status, WNOHANG, &w->usage) != w->command)
		return 0;
	w->command = 0;
	w->command_ended = true;
	return WATCH_END;
}

static unsigned int handle_signal(struct watch *w, const struct signalfd_siginfo *info)
{
	int sig = info->ssi_signo;

	if (sig == SIGCHLD)
		return reap_command(w);
	if (!w->command) {
		w->signal = sig;
		return WATCH_END;
	}
	if (w->signal)
		kill(w->command, SIGKILL);
	else if (info->ssi_code != SI_KERNEL)
		kill(w->command, SIGTERM);
	w->signal = sig;
	return 0;
}

static void kill_command(struct watch *w)
{
	if (!w->command)
		return;
	kill(w->command, SIGKILL);
	w->command_killed = true;
}

static unsigned int read_signals(struct watch *w)
{
	struct signalfd_siginfo info;
	unsigned int what = 0;

	while (read(w->signals, &info, sizeof(info)) == sizeof(info))
		what |= handle_signal(w, &info);
	return what;
}

static unsigned int handle_event(struct watch *w, const struct epoll_event *event)
{
	int fd = (uint32_t)event->data.u64;
	struct signalfd_siginfo info;
	uint64_t expirations;

	switch ((enum source)(event->data.u64 >> 32)) {
	case SOURCE_SIGNALS:
		return read_signals(w);
	case SOURCE_INTERVAL:
		if (read(fd, &expirations, sizeof(expirations)) != sizeof(expirations))
			return 0;
		return WATCH_TICK;
	case SOURCE_LIMIT:
		epoll_ctl(w->epoll, EPOLL_CTL_DEL, fd, NULL);
		return WATCH_END;
	case SOURCE_TASK:
		epoll_ctl(w->epoll, EPOLL_CTL_DEL, fd, NULL);
		return --w->alive ? 0 : WATCH_END;
	case SOURCE_DATA:
		/*
		 * The buffer of exited tasks stays readable; it is read to its end after the
		 * measurement.
		 */
		if (event->events & EPOLLHUP)
			epoll_ctl(w->epoll, EPOLL_CTL_DEL, fd, NULL);
		return WATCH_DATA;
	case SOURCE_SNAPSHOTS:
		return read(fd, &info, sizeof(info)) == sizeof(info) ? WATCH_SNAPSHOT : 0;
	case SOURCE_RESIZES:
		return read(fd, &info, sizeof(info)) == sizeof(info) ? WATCH_RESIZE : 0;
	case SOURCE_INPUT:
		return WATCH_INPUT;
	case SOURCE_GRACE:
		epoll_ctl(w->epoll, EPOLL_CTL_DEL, fd, NULL);
		kill_command(w);
		return 0;
	}
	return 0;
}

unsigned int watch_wait(struct watch *w)
{
	struct epoll_event events[32];
	unsigned int what = 0;
	int i, nr;

	while (!what) {
		nr = epoll_wait(w->epoll, events, ARRAY_SIZE(events), -1);
		if (nr < 0 && errno != EINTR)
			die("cannot wait for events: %s", strerror(errno));
		for (i = 0; i < nr; i++)
			what |= handle_event(w, &events[i]);
	}
	return what;
}

int watch_end_command(struct watch *w, double grace, struct error *err)
{
	if (!w->command)
		return 0;
	kill(w->command, SIGTERM);
	return w->grace < 0 ? start_once(w, SOURCE_GRACE, grace, &w->grace, err) : 0;
}

void watch_stop_command(struct watch *w, double grace)
{
	struct timespec wait = { .tv_sec = grace, .tv_nsec = (grace - (time_t)grace) * 1e9 };
	bool waiting = true;
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	kill(w->command, SIGTERM);
	while (waiting && !reap_command(w)) {
		if (sigtimedwait(&set, &info, &wait) != SIGCHLD)
			waiting = false;
	}
	if (!w->command)
		return;
	kill_command(w);
	while (wait4(w->command, &w->status, 0, &w->usage) < 0 && errno == EINTR)
		;
	w->command = 0;
	w->command_ended = true;
}

void watch_raise(struct watch *w)
{
	sigset_t set;

	if (!w->signal)
		return;
	fflush(NULL);
	signal(w->signal, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, w->signal);
	raise(w->signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void watch_free(struct watch *w)
{
	const int descriptors[] = {
		w->interval, w->limit, w->snapshots, w->resizes, w->grace, w->signals,
		w->epoll,
	};
	size_t i;

	for (i = 0; i < w->nr_tasks; i++)
		close(w->tasks[i]);
	free(w->tasks);
	for (i = 0; i < ARRAY_SIZE(descriptors); i++) {
		if (descriptors[i] >= 0)
			close(descriptors[i]);
	}
}

int exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
