// SPDX-License-Identifier: GPL-2.0
/*
 * races - a program that rr must replay exactly: racing threads, and signals
 *
 * Usage: races ROUNDS BRANCHES SIGNALS
 *
 * The program first prints which subsystem its parent, rr, counts with, from the parent's open
 * files. Then it executes exactly BRANCHES conditional branches between two calls of
 * personality(), a system call that no library for recording replaces. Then three threads make
 * ROUNDS rounds each on one value, whose result depends on the order, and up to SIGNALS
 * signals of a timer come in between. The output depends on the instruction at which each
 * thread was interrupted: a replay prints it again only if the interrupts are at the same
 * instructions. The exit status is 7.
 */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define THREADS 3

static unsigned long value = 1, rounds;
static int signals, most_signals;

/*
 * The functions make one access each: a store between another thread's load and store is
 * lost.
 */
static unsigned long load(void)
{
	return __atomic_load_n(&value, __ATOMIC_RELAXED);
}

static void store(unsigned long new)
{
	__atomic_store_n(&value, new, __ATOMIC_RELAXED);
}

static void on_signal(int signal)
{
	static const struct itimerval never;

	(void)signal;
	store(load() * 6364136223846793005UL + 1);
	if (++signals >= most_signals)
		setitimer(ITIMER_REAL, &never, NULL);
}

/*
 * Print anon_inode:[perf_event] or [perf_counter]: the last such file that the parent has
 * open.
 */
static void say_what_counts(void)
{
	char link[64], target[PATH_MAX], found[PATH_MAX] = "nothing";

	for (int fd = 0; fd < 256; fd++) {
		ssize_t length;

		snprintf(link, sizeof(link), "/proc/%d/fd/%d", getppid(), fd);
		length = readlink(link, target, sizeof(target) - 1);
		if (length < 0)
			continue;
		target[length] = 0;
		if (!strncmp(target, "anon_inode:[perf_", 17))
			memcpy(found, target, length + 1);
	}
	printf("counted by %s\n", found);
}

/* Execute exactly @branches conditional branches between two calls. */
static void count_branches(unsigned long branches)
{
	unsigned long nr = SYS_personality;

	asm volatile("syscall\n\t"
		     "mov %[branches], %%rcx\n"
		     "1:\tdec %%rcx\n\t"
		     "jnz 1b\n\t"
		     "mov %[nr], %%eax\n\t"
		     "mov $0xffffffff, %%edi\n\t"
		     "syscall\n\t"
		     "nop"
		     : "+a" (nr)
		     : [branches] "r" (branches), [nr] "i" (SYS_personality), "D" (0xffffffffUL)
		     : "rcx", "r11", "memory");
}

static void *race(void *arg)
{
	unsigned long mine = (unsigned long)arg;

	for (unsigned long i = 0; i < rounds; i++) {
		unsigned long seen = load();

		seen = seen * 31 + mine;
		if (seen & 4)
			seen ^= seen >> 7;
		store(seen);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct itimerval every = { { 0, 5000 }, { 0, 5000 } }, never = { };
	unsigned long branches = 0;
	pthread_t threads[THREADS];

	if (argc == 4) {
		rounds = strtoul(argv[1], NULL, 0);
		branches = strtoul(argv[2], NULL, 0);
		most_signals = atoi(argv[3]);
	}
	if (!rounds || !branches || most_signals <= 0) {
		fprintf(stderr, "races: it needs three numbers: ROUNDS BRANCHES SIGNALS\n");
		return 2;
	}
	say_what_counts();
	fflush(stdout);
	count_branches(branches);

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (unsigned long i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, race, (void *)(i + 1))) {
			fprintf(stderr, "races: no thread\n");
			return 1;
		}
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("races: %016lx, %d signals\n", load(), signals);
	return 7;
}
