// SPDX-License-Identifier: GPL-2.0
/*
 * load-churn - threads come and go, and so does the code that they run, as fast as
 * they can, until the standard input ends: what attaching to a process has to cope
 * with. Prints "ready" when it has begun; and again for each byte that it is given,
 * when LATER threads that began after that have ended.
 *
 * Each thread maps the page of this program that has hot() wherever there is room,
 * calls it there and unmaps it: one page fault in hot() each time.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define THREADS 4
#define CALLS 20
#define LATER 24

/* In a page of its own, and at home at every address. */
asm(".balign 4096");
long hot(long n)
{
	long i, sum = 0;

	for (i = 0; i < n; i++)
		sum += i ^ n;
	return sum;
}

asm(".balign 4096");
static void after_hot(void)
{
}

static int program;
static off_t place;		/* of hot() in the file */
static size_t page_size;

/* Where in the file the page is that is mapped at @address: see proc(5), maps. */
static off_t find_place(const void *address)
{
	unsigned long start, end, offset, at = (unsigned long)address;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[1024];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && at >= start &&
		    at < end) {
			fclose(maps);
			return offset + (at - start);
		}
	}
	exit(1);
}

static void *run(void *unused)
{
	void *map;
	int i;

	prctl(PR_SET_NAME, "churner");
	for (i = 0; i < CALLS; i++) {
		map = mmap(NULL, page_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, program, place);
		if (map == MAP_FAILED) {
			perror("load-churn: mmap");
			exit(1);
		}
		((long (*)(long))map)(100);
		munmap(map, page_size);
	}
	return unused;
}

static pthread_t start(void)
{
	pthread_t id;

	errno = pthread_create(&id, NULL, run, NULL);
	if (errno) {
		perror("load-churn: pthread_create");
		exit(1);
	}
	return id;
}

static void ready(void)
{
	puts("ready");
	fflush(stdout);
}

int main(void)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	pthread_t ids[THREADS];
	int i, later = 0;
	char byte;

	page_size = sysconf(_SC_PAGESIZE);
	program = open("/proc/self/exe", O_RDONLY);
	place = find_place(hot);
	after_hot();
	for (i = 0; i < THREADS; i++)
		ids[i] = start();
	ready();
	for (i = 0;; i = (i + 1) % THREADS) {
		if (poll(&input, 1, 0) > 0) {
			if (read(0, &byte, 1) != 1)
				break;
			later = THREADS + LATER;
		}
		pthread_join(ids[i], NULL);
		ids[i] = start();
		if (later && !--later)
			ready();
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	return 0;
}
