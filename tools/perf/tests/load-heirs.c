// SPDX-License-Identifier: GPL-2.0
/*
 * load-heirs - processes of whom only those are left, when they are looked at, who were
 * forked after somebody began to record them.
 *
 * Usage: load-heirs end|change|return
 *
 * Some founders are named "founder" and have the page of this program mapped that has
 * hot(). When somebody has listed the first one's threads, and then /proc/kallsyms is
 * opened, as perf record does when it records already, and has not looked at processes
 * yet, each of them forks a son, who forks a grandson, and ends. The founder ends as
 * well; with the argument "change" it takes another name, unmaps the page, and stays;
 * with "return" it takes another name and its own again, has the page writable and not
 * writable again, and stays.
 *
 * Prints the numbers of the founders when they are there. Given a byte, the grandsons
 * call hot(), one page fault in it each; "done" is printed when everybody has ended.
 */
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "hot.h"

#define FOUNDERS 16

/* Two ends of a pipe: who reads it waits until nobody has the other one any more. */
struct gate {
	int wait;
	int hold;
};

static struct gate make_gate(void)
{
	struct gate gate;

	if (pipe((int *)&gate))
		die("pipe");
	return gate;
}

static void wait_at(const struct gate *gate)
{
	char byte;

	if (read(gate->wait, &byte, 1))
		die("a gate");
}

static struct gate to_fork, to_call;

static void found(const char *what, int ready)
{
	void *map = map_hot();
	pid_t son;

	prctl(PR_SET_NAME, "founder");
	/* It is mapped, and named: that is what the main program waits for. */
	close(ready);
	wait_at(&to_fork);
	son = fork();
	if (son < 0)
		die("fork");
	if (!son) {
		if (fork())
			_exit(0);
		wait_at(&to_call);
		call_hot(map);
		_exit(0);
	}
	if (!strcmp(what, "end"))
		_exit(0);
	prctl(PR_SET_NAME, "changed");
	if (!strcmp(what, "change")) {
		munmap(map, page_size);
	} else {
		mprotect(map, page_size, PROT_READ | PROT_WRITE | PROT_EXEC);
		mprotect(map, page_size, PROT_READ | PROT_EXEC);
		prctl(PR_SET_NAME, "founder");
	}
	wait_at(&to_call);
	_exit(0);
}

static pid_t begin_founder(const char *what)
{
	struct gate ready = make_gate();
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		close(to_fork.hold);
		close(to_call.hold);
		found(what, ready.hold);
	}
	close(ready.hold);
	wait_at(&ready);
	close(ready.wait);
	return pid;
}

static int watch_open(int notes, const char *path)
{
	int watch = inotify_add_watch(notes, path, IN_OPEN);

	if (watch < 0)
		die(path);
	return watch;
}

/* Read what was opened. Return: whether it was @watch. */
static bool was_opened(int notes, int watch)
{
	struct inotify_event events[64];
	ssize_t i, bytes = read(notes, events, sizeof(events));
	bool was = false;

	for (i = 0; i < bytes / (ssize_t)sizeof(*events); i++)
		was |= events[i].wd == watch;
	return was;
}

/* True for a byte, false when there will be none. Others may open kallsyms, too. */
static bool wait_for_byte(int notes)
{
	struct pollfd inputs[] = {
		{ .fd = 0, .events = POLLIN }, { .fd = notes, .events = POLLIN },
	};
	int kallsyms = -1;
	char byte;

	for (;;) {
		if (poll(inputs, 2, -1) < 0)
			die("poll");
		if (inputs[1].revents && was_opened(notes, kallsyms)) {
			close(to_fork.hold);
			inputs[1].fd = -1;
		} else if (inputs[1].revents && kallsyms < 0) {
			kallsyms = watch_open(notes, "/proc/kallsyms");
		}
		if (inputs[0].revents)
			return read(0, &byte, 1) == 1;
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "end";
	int i, notes = inotify_init1(IN_CLOEXEC);
	char threads[64];
	pid_t pid;

	find_hot();
	to_fork = make_gate();
	to_call = make_gate();
	/* Everybody's end can be waited for, and nobody stays in /proc until then. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGCHLD, SIG_IGN);
	for (i = 0; i < FOUNDERS; i++) {
		pid = begin_founder(what);
		if (!i)
			snprintf(threads, sizeof(threads), "/proc/%d/task", pid);
		printf("%s%d", i ? "," : "", pid);
	}
	watch_open(notes, threads);
	puts("");
	fflush(stdout);
	if (!wait_for_byte(notes))
		return 0;
	close(to_call.hold);
	while (wait(NULL) > 0)
		;
	puts("done");
	return 0;
}
