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

/* What is opened, in the order in which it is; others may open kallsyms, too. */
struct opens {
	int notes;
	int threads;
	int kallsyms;
	bool listed;
};

/* Read what was opened. Return: whether that was the threads, and kallsyms later. */
static bool is_looked_at(struct opens *opens)
{
	union {
		struct inotify_event first;
		char bytes[4096];
	} events;
	ssize_t at, bytes = read(opens->notes, &events, sizeof(events));
	const struct inotify_event *event;

	for (at = 0; at < bytes; at += sizeof(*event) + event->len) {
		event = (void *)(events.bytes + at);
		if (event->wd == opens->threads)
			opens->listed = true;
		else if (event->wd == opens->kallsyms && opens->listed)
			return true;
	}
	return false;
}

static void let_fork(void)
{
	close(to_fork.hold);
	to_fork.hold = -1;
}

/* True for a byte, false when there will be none. */
static bool wait_for_byte(struct opens *opens)
{
	struct pollfd inputs[] = {
		{ .fd = 0, .events = POLLIN }, { .fd = opens->notes, .events = POLLIN },
	};
	char byte;

	for (;;) {
		if (poll(inputs, 2, -1) < 0)
			die("poll");
		if (inputs[1].revents && is_looked_at(opens)) {
			let_fork();
			inputs[1].fd = -1;
		}
		if (inputs[0].revents)
			return read(0, &byte, 1) == 1;
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "end";
	struct opens opens = { .notes = inotify_init1(IN_CLOEXEC) };
	char threads[64];
	pid_t pid;
	int i;

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
	/* Both before anybody can be looked at. */
	opens.threads = watch_open(opens.notes, threads);
	opens.kallsyms = watch_open(opens.notes, "/proc/kallsyms");
	puts("");
	fflush(stdout);
	if (!wait_for_byte(&opens))
		return 0;
	/* Whom nobody has looked at forks now; it is too late, but he ends. */
	let_fork();
	close(to_call.hold);
	while (wait(NULL) > 0)
		;
	puts("done");
	return 0;
}
