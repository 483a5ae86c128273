// SPDX-License-Identifier: GPL-2.0
/*
 * load-storm - threads come and go, as fast as possible, until the end of standard
 * input; perf attaches to this process. Prints "ready" after the start.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 8

static void *thread(void *unused)
{
	return unused;
}

/* Create all threads, which exist at the same time, and join them. */
static void gust(void)
{
	pthread_t ids[THREADS];
	int i;

	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&ids[i], NULL, thread, NULL))
			exit(1);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
}

int main(void)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };

	gust();
	puts("ready");
	fflush(stdout);
	while (!poll(&input, 1, 0))
		gust();
	return 0;
}
