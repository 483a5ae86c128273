// SPDX-License-Identifier: GPL-2.0
/*
 * load-heirs - processes with ancestors that exit or change between the fork and perf's reading of
 * /proc.
 *
 * Usage: load-heirs end|change|return
 *
 * Some processes, the founders, are named "founder" and map the page of this program that
 * has hot(). perf record lists the founders' threads. Later it opens /proc/kallsyms, when it has
 * begun to record but has not yet read the processes from /proc. At that time each founder forks a
 * child, which forks a grandchild and exits. With the argument "end" the founder exits as well.
 * With "change" it changes its name, unmaps the page, and stays; with "return" it changes its name
 * and then restores it, makes the page writable and then read-only, and stays.
 *
 * Prints the pids of the founders when they are ready. After a byte of input, the grandchildren
 * call hot(), with one page fault each; "done" is printed when all processes have exited.
 */
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "hot.h"

#define FOUNDERS 16

/* The ends of a pipe: a reader of @wait waits until all copies of @hold are closed. */
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
	/* The main program waits until the page is mapped and the name is set. */
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

/* Watches of opened files. Other processes open kallsyms, too, so the order counts. */
struct opens {
	int notes;
	int threads;
	int kallsyms;
	bool listed;
};

/* Read the notes of opened files. Return: true if kallsyms was opened after the threads. */
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

/* Wait for a byte of input. Return: false at its end. */
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
	/* Become the parent of orphans to wait for them, and leave no zombies in /proc. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGCHLD, SIG_IGN);
	for (i = 0; i < FOUNDERS; i++) {
		pid = begin_founder(what);
		if (!i)
			snprintf(threads, sizeof(threads), "/proc/%d/task", pid);
		printf("%s%d", i ? "," : "", pid);
	}
	/* Watch both files before perf learns the pids. */
	opens.threads = watch_open(opens.notes, threads);
	opens.kallsyms = watch_open(opens.notes, "/proc/kallsyms");
	puts("");
	fflush(stdout);
	if (!wait_for_byte(&opens))
		return 0;
	/* Founders that perf did not list fork now, so that all processes exit. */
	let_fork();
	close(to_call.hold);
	while (wait(NULL) > 0)
		;
	puts("done");
	return 0;
}
