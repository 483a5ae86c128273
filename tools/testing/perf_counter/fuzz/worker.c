// SPDX-License-Identifier: GPL-2.0
/*
 * A worker runs programs, one after the other: first those from files, then generated
 * programs, and changed programs of the corpus. A second thread, the helper, makes calls at
 * the same time for programs that ask for it.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"

/* Interval of the signal that interrupts calls that wait. */
#define ALARM_MS	100
/* Number of alarms after which a program's child is killed. */
#define CHILD_ALARMS	100

unsigned int worker_nr;

static _Atomic unsigned int alarms;
static __thread sigjmp_buf *fault_jump;

static void on_fault(int sig)
{
	if (fault_jump)
		siglongjmp(*fault_jump, 1);
	signal(sig, SIG_DFL);
}

static void on_alarm(int sig)
{
	alarms++;
}

static void on_other(int sig)
{
}

void catch_signals(void)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE };
	static const int others[] = {
		SIGUSR1, SIGUSR2, SIGIO, SIGPIPE, SIGTRAP, SIGXFSZ, SIGHUP, SIGTERM,
	};
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };

	for (unsigned int i = 0; i < ARRAY_SIZE(faults); i++)
		sigaction(faults[i], &action, NULL);
	action = (struct sigaction){ .sa_handler = on_other };
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++)
		sigaction(others[i], &action, NULL);
	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++)
		sigaction(sig, &action, NULL);
	action.sa_handler = on_alarm;
	sigaction(SIGALRM, &action, NULL);
}

void touch_memory(void (*touch)(void *data), void *data)
{
	sigjmp_buf jump;

	if (!sigsetjmp(jump, 1)) {
		fault_jump = &jump;
		touch(data);
	}
	fault_jump = NULL;
}

/* === The helper === */

static struct {
	pthread_t thread;
	sem_t given, done;
	const struct call *call;	/* NULL: end of the thread */
	unsigned int pending;
	bool started;
} helper;

static void *helper_body(void *unused)
{
	world_set_helper(syscall(__NR_gettid));
	sem_post(&helper.done);
	for (;;) {
		while (sem_wait(&helper.given))
			;
		run_call(helper.call);
		sem_post(&helper.done);
	}
	return NULL;
}

static void helper_wait(void)
{
	for (; helper.pending; helper.pending--)
		while (sem_wait(&helper.done))
			pthread_kill(helper.thread, SIGUSR1);
}

static void helper_start(void)
{
	memset(&helper, 0, sizeof(helper));
	sem_init(&helper.given, 0, 0);
	sem_init(&helper.done, 0, 0);
	helper.started = !pthread_create(&helper.thread, NULL, helper_body, NULL);
	helper.pending = helper.started;
	helper_wait();
}

static void helper_give(const struct call *call)
{
	helper_wait();
	helper.call = call;
	helper.pending = 1;
	sem_post(&helper.given);
}

/* === Programs === */

static void set_alarm(void)
{
	struct itimerval every = { { 0, 1000 * ALARM_MS }, { 0, 1000 * ALARM_MS } };

	setitimer(ITIMER_REAL, &every, NULL);
}

static void run_calls(const struct program *program)
{
	for (unsigned int i = 0; i < program->n; i++) {
		const struct call *call = &program->calls[i];

		if (call->async && helper.started)
			helper_give(call);
		else
			run_call(call);
		cover_take();
		shared->calls++;
		shared->calls_of[worker_nr]++;
	}
	if (helper.started)
		helper_wait();
	world_leave();
	cover_take();
}

static void run_in_child(const struct program *program)
{
	pid_t pid = fork();
	unsigned int until;
	int status;

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "fuzz");
		set_alarm();
		world_enter();
		helper_start();
		cover_start();
		run_calls(program);
		_exit(0);
	}
	until = alarms + CHILD_ALARMS;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		if (alarms >= until)
			kill(pid, SIGKILL);
}

/* Run a program. A copy in shared memory lets the supervisor show it in a report. */
static void run(const struct program *program)
{
	struct recent *recent = &shared->recent[worker_nr];
	unsigned int runs = recent->runs;

	recent->programs[runs % RECENT] = *program;
	recent->runs = runs + 1;
	cover_result->nr_fresh = 0;
	if (program_needs_child(program)) {
		run_in_child(program);
	} else {
		cover_start();
		run_calls(program);
		cover_stop();
	}
	shared->programs++;
}

/* Run @program; returns whether it reaches the expected blocks. */
static bool reaches_all(const struct program *program)
{
	struct cover_result *result = cover_result;

	result->met = 0;
	run(program);
	return result->met == ~0ULL >> (64 - result->nr_expected);
}

/* Remove the calls of @program without which it reaches the same blocks. */
static void shrink(struct program *program)
{
	struct cover_result *result = cover_result;
	struct program less;

	memcpy(result->expected, result->fresh, sizeof(result->expected));
	result->nr_expected = result->nr_fresh;
	/* A program that reached the blocks only by chance is kept as it is. */
	if (reaches_all(program)) {
		for (unsigned int i = program->n; i-- && program->n > 1; ) {
			less = *program;
			memmove(&less.calls[i], &less.calls[i + 1],
				(less.n - i - 1) * sizeof(less.calls[0]));
			less.n--;
			if (reaches_all(&less))
				*program = less;
		}
	}
	result->nr_expected = 0;
}

static void keep(const struct program *program)
{
	unsigned int nth = shared->nr_corpus;

	do {
		if (nth == CORPUS_MAX)
			return;
	} while (!atomic_compare_exchange_weak(&shared->nr_corpus, &nth, nth + 1));
	shared->corpus[nth] = *program;
	shared->ready[nth] = true;
}

/* Return a program of the corpus, or NULL. */
static const struct program *choose(struct random *r)
{
	unsigned int n = shared->nr_corpus, nth;

	if (!n)
		return NULL;
	nth = random_below(r, n);
	return shared->ready[nth] ? &shared->corpus[nth] : NULL;
}

static void make_up(struct random *r, struct program *program)
{
	const struct program *old = choose(r), *other = choose(r);

	if (!old || !other || random_once_in(r, 5)) {
		random_program(r, program);
		return;
	}
	*program = *old;
	mutate_program(r, program, other);
}

void worker_run(unsigned int nr, u64 seed)
{
	struct random random = { .state = seed ?: 1 };
	struct program program;

	worker_nr = nr;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "fuzz");
	catch_signals();
	if (!cover_open()) {
		fprintf(stderr, "fuzz: KCOV: %s\n", strerror(errno));
		_exit(2);
	}
	world_enter();
	helper_start();
	set_alarm();
	while (!shared->stop) {
		unsigned int given = shared->next_given++;

		if (given >= shared->nr_given && only_given)
			break;
		if (given < shared->nr_given)
			program = shared->given[given];
		else
			make_up(&random, &program);
		run(&program);
		if (cover_result->nr_fresh) {
			if (given >= shared->nr_given && cover_result->nr_fresh < FRESH_MAX)
				shrink(&program);
			keep(&program);
		} else if (given < shared->nr_given && !cover_is_known()) {
			keep(&program);
		}
	}
	world_leave();
	_exit(0);
}
