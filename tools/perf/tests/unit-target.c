// SPDX-License-Identifier: GPL-2.0
/*
 * The threads of a process while others are created and exit.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/proc_status.h"
#include "measure/target.h"
#include "unit.h"

struct waiter {
	pthread_t thread;
	pid_t tid;
	sem_t begun, end;
};

static void *wait_for_end(void *context)
{
	struct waiter *w = context;

	w->tid = gettid();
	sem_post(&w->begun);
	sem_wait(&w->end);
	return NULL;
}

static void begin(struct waiter *w)
{
	sem_init(&w->begun, 0, 0);
	sem_init(&w->end, 0, 0);
	if (pthread_create(&w->thread, NULL, wait_for_end, w))
		die("no thread");
	sem_wait(&w->begun);
}

static void end(struct waiter *w)
{
	sem_post(&w->end);
	pthread_join(w->thread, NULL);
	/* pthread_join() may return before the thread has left the process. */
	while (proc_status(w->tid, "Tgid") >= 0)
		sched_yield();
}

static void list(const struct target *t, struct int_list *tids)
{
	int_list_free(tids);
	target_list_tasks(t, tids);
}

static pid_t ended_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

int main(void)
{
	struct target t = { .kind = TARGET_TASKS };
	struct int_list tids = { 0 };
	struct waiter a, b, c;

	int_list_add(&t.pids, getpid());
	begin(&a);
	list(&t, &tids);
	check_number(tids.nr, 2, "a process has its threads");
	check(int_list_has(&tids, a.tid), "a created thread is listed");
	check(target_has_only(&t, &tids), "no other thread has appeared");

	begin(&b);
	check(!target_has_only(&t, &tids), "a new thread is noticed");
	list(&t, &tids);
	check(target_has_only(&t, &tids), "a listed thread is not new");

	end(&a);
	check(target_has_only(&t, &tids), "an exited thread is not new");
	begin(&a);
	check(!target_has_only(&t, &tids), "a thread that replaces another one is noticed");

	int_list_add(&t.pids, a.tid);
	list(&t, &tids);
	check_number(tids.nr, 3, "a process named twice has its threads once");
	check(target_has_only(&t, &tids), "without a new thread nothing is noticed");
	begin(&c);
	check(!target_has_only(&t, &tids), "a new thread of a process named twice is noticed");

	int_list_free(&t.pids);
	int_list_add(&t.tids, b.tid);
	list(&t, &tids);
	check_number(tids.nr, 1, "a thread alone is listed alone");
	check(target_has_only(&t, &tids), "other threads do not count for it");
	int_list_add(&t.pids, getpid());
	list(&t, &tids);
	check_number(tids.nr, 4, "a process and its thread are that process");
	check(target_has_only(&t, &tids), "all of its threads are listed");

	int_list_free(&t.pids);
	int_list_free(&t.tids);
	int_list_add(&t.pids, ended_process());
	list(&t, &tids);
	check_number(tids.nr, 0, "an exited process has no threads");
	check(target_has_only(&t, &tids), "an exited process has no new threads");
	int_list_free(&tids);
	target_free(&t);
	/* A leak checker reads the stacks of threads, which it cannot always stop. */
	end(&a);
	end(&b);
	end(&c);
	return unit_finish();
}
