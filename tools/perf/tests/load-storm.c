// SPDX-License-Identifier: GPL-2.0
/*
 * load-storm - threads come and go, as fast as they can, until the standard
 * input ends: what attaching to a process has to cope with. Prints "ready"
 * when the storm has begun.
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

/* All of them exist at once, for a moment. */
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
