// SPDX-License-Identifier: GPL-2.0
/*
 * load-churn - threads come and go, and so does the code that they run, as fast as
 * possible, until the end of standard input; perf record attaches to this process.
 * Prints "ready" after the start, and again for each byte of input, once LATER
 * threads that started afterwards have exited.
 *
 * Usage: load-churn [children]
 *
 * Each thread maps the page of this program with hot() at any address, calls it
 * there and unmaps it: one page fault in hot() each time.
 *
 * With the argument "children" there are children instead of threads. A page is mapped
 * for each child when AHEAD other children are still to be forked before it, and is unmapped
 * when the child has been forked. So only the child has the page; it calls hot() before it exits.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hot.h"

#define THREADS 4
#define CALLS 20
#define CHILDREN 128
#define AHEAD 16
#define LATER 24

static void *run(void *unused)
{
	void *map;
	int i;

	prctl(PR_SET_NAME, "churner");
	for (i = 0; i < CALLS; i++) {
		map = map_hot();
		call_hot(map);
		munmap(map, page_size);
	}
	return unused;
}

static bool children;
static pthread_t threads[THREADS];
static pid_t pids[CHILDREN];
static void *ahead[AHEAD];
static int next_ahead;
static sigset_t go;

static void begin_thread(int i)
{
	errno = pthread_create(&threads[i], NULL, run, NULL);
	if (errno)
		die("pthread_create");
}

static void begin_child(int i)
{
	void *map = ahead[next_ahead];
	int signal;

	pids[i] = fork();
	if (pids[i] < 0)
		die("fork");
	if (!pids[i]) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sigwait(&go, &signal);
		call_hot(map);
		_exit(0);
	}
	munmap(map, page_size);
	ahead[next_ahead] = map_hot();
	next_ahead = (next_ahead + 1) % AHEAD;
}

static void begin(int i)
{
	if (children)
		begin_child(i);
	else
		begin_thread(i);
}

static void end(int i)
{
	if (!children) {
		pthread_join(threads[i], NULL);
		return;
	}
	kill(pids[i], SIGUSR1);
	waitpid(pids[i], NULL, 0);
}

static void ready(void)
{
	puts("ready");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	int i, nr, later = 0;
	char byte;

	children = argc > 1 && !strcmp(argv[1], "children");
	nr = children ? CHILDREN : THREADS;
	/* Children wait for this signal before they call hot(). */
	sigemptyset(&go);
	sigaddset(&go, SIGUSR1);
	sigprocmask(SIG_BLOCK, &go, NULL);

	find_hot();
	for (i = 0; children && i < AHEAD; i++)
		ahead[i] = map_hot();
	for (i = 0; i < nr; i++)
		begin(i);
	ready();
	for (i = 0;; i = (i + 1) % nr) {
		if (poll(&input, 1, 0) > 0) {
			if (read(0, &byte, 1) != 1)
				break;
			later = nr + LATER;
		}
		end(i);
		begin(i);
		if (later && !--later)
			ready();
	}
	for (i = 0; i < nr; i++)
		end(i);
	return 0;
}
