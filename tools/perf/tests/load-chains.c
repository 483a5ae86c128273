// SPDX-License-Identifier: GPL-2.0
/*
 * load-chains - chains of threads, each of which starts the next one and exits, as fast
 * as possible, until the end of standard input. If perf misses a thread, it also misses what the
 * following threads inherit. Prints "ready" after the start, and again for each byte of input,
 * once each chain has LATER more threads.
 *
 * The threads of a chain have its name, "chain0" and so on. Like in load-churn, each thread maps
 * the page of this program with hot() at any address, calls it there and unmaps it, CALLS times.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/prctl.h>

#include "hot.h"

#define CHAINS 4
#define CALLS 20
#define LATER 6

static struct chain {
	sem_t grown, ended;
} chains[CHAINS];

static atomic_bool stop;
static pthread_attr_t detached;

static void *run(void *context);

static void begin_next(struct chain *chain)
{
	pthread_t thread;

	errno = pthread_create(&thread, &detached, run, chain);
	if (errno)
		die("pthread_create");
}

static void *run(void *context)
{
	struct chain *chain = context;
	void *map;
	int i;

	sem_post(&chain->grown);
	for (i = 0; i < CALLS; i++) {
		map = map_hot();
		call_hot(map);
		munmap(map, page_size);
	}
	if (stop)
		sem_post(&chain->ended);
	else
		begin_next(chain);
	return NULL;
}

/* Start the first thread with the chain's name; its descendants inherit the name. */
static void begin(int i)
{
	char name[] = "chain0";

	name[5] += i;
	prctl(PR_SET_NAME, name);
	sem_init(&chains[i].grown, 0, 0);
	sem_init(&chains[i].ended, 0, 0);
	begin_next(&chains[i]);
	prctl(PR_SET_NAME, "load-chains");
}

static void wait_until_longer(struct chain *chain)
{
	int i;

	/* Ignore the threads so far. */
	while (!sem_trywait(&chain->grown))
		;
	for (i = 0; i < LATER; i++)
		sem_wait(&chain->grown);
}

int main(void)
{
	char byte;
	int i;

	find_hot();
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (i = 0; i < CHAINS; i++)
		begin(i);
	do {
		for (i = 0; i < CHAINS; i++)
			wait_until_longer(&chains[i]);
		puts("ready");
		fflush(stdout);
	} while (read(0, &byte, 1) == 1);
	stop = true;
	for (i = 0; i < CHAINS; i++)
		sem_wait(&chains[i].ended);
	return 0;
}
