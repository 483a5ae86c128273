// SPDX-License-Identifier: GPL-2.0
/*
 * load-mutex ROUNDS US - two threads, of which one waits ROUNDS times for a mutex
 *
 * holder() has the mutex when the other thread asks for it, for at least US microseconds more: it
 * unlocks the mutex only when /proc shows that the thread sleeps, and US after that. Prints
 * "waiter TID SUM": the nanoseconds that the thread has measured from before it asks for the mutex
 * until it has the mutex.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int turn;		/* 1: the mutex is held, the waiter may ask for it */
static atomic_int waiter_tid;
static long rounds, us;

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Return true if the waiter sleeps: in state S, in proc(5). */
static int sleeps(void)
{
	char path[64], state = '?';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", waiter_tid);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		exit(1);
	fclose(file);
	return state == 'S';
}

__attribute__((noinline)) static void ask(void)
{
	pthread_mutex_lock(&mutex);
	asm volatile("");
}

__attribute__((noinline)) static void give(void)
{
	pthread_mutex_unlock(&mutex);
	asm volatile("");
}

static void *wait_rounds(void *unused)
{
	long long sum = 0, start;
	long i;

	waiter_tid = gettid();
	for (i = 0; i < rounds; i++) {
		while (turn != 1)
			usleep(100);
		turn = 2;
		start = now();
		ask();
		sum += now() - start;
		pthread_mutex_unlock(&mutex);
		turn = 0;
	}
	printf("waiter %d %lld\n", waiter_tid, sum);
	return unused;
}

static void holder(void)
{
	long i;

	for (i = 0; i < rounds; i++) {
		while (turn != 0)
			usleep(100);
		pthread_mutex_lock(&mutex);
		turn = 1;
		while (turn != 2 || !sleeps())
			usleep(100);
		usleep(us);
		give();
	}
}

int main(int argc, char **argv)
{
	pthread_t thread;

	rounds = argc == 3 ? atol(argv[1]) : 0;
	us = argc == 3 ? atol(argv[2]) : 0;
	if (rounds < 1 || us < 1 || pthread_create(&thread, NULL, wait_rounds, NULL))
		return 1;
	holder();
	pthread_join(thread, NULL);
	return 0;
}
