// SPDX-License-Identifier: GPL-2.0
/*
 * load-parallel N - work of one thread, of two on one CPU, and of two on two CPUs
 *
 * Only one thread runs during alone() and in_turns(). During together(), both threads need CPU time
 * at once, each on a CPU of its own; where there is only one CPU, the program has no together().
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static long rounds;
static int cpus[2];
static atomic_long turn;

static void work(void)
{
	volatile long sum = 0;
	long i;

	for (i = 0; i < rounds; i++)
		sum += i;
}

static void alone(void)
{
	work();
}

static void go_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("load-parallel");
		exit(1);
	}
}

static void *in_turns(void *unused)
{
	work();
	return unused;
}

/*
 * Take turns with the other thread without sleeping. While one thread has no CPU, the other one
 * waits for the rest of its time slice, so most turns are taken while both have one.
 */
static void *together(void *cpu)
{
	long i;

	go_to(*(int *)cpu);
	for (i = cpu == &cpus[1]; i < rounds / 40; i += 2) {
		while (atomic_load(&turn) != i)
			;
		atomic_store(&turn, i + 1);
	}
	return NULL;
}

static void run(void *(*function)(void *), void *first, void *second)
{
	pthread_t threads[2];

	if (pthread_create(&threads[0], NULL, function, first) ||
	    pthread_create(&threads[1], NULL, function, second))
		exit(1);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

int main(int argc, char **argv)
{
	cpu_set_t set;
	int cpu, nr = 0;

	rounds = argc == 2 ? atol(argv[1]) : 0;
	if (rounds < 1 || sched_getaffinity(0, sizeof(set), &set))
		return 1;
	for (cpu = 0; cpu < CPU_SETSIZE && nr < 2; cpu++) {
		if (CPU_ISSET(cpu, &set))
			cpus[nr++] = cpu;
	}
	alone();
	go_to(cpus[0]);
	run(in_turns, NULL, NULL);
	if (nr == 2)
		run(together, &cpus[0], &cpus[1]);
	return 0;
}
