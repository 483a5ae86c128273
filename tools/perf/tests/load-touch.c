// SPDX-License-Identifier: GPL-2.0
/*
 * load-touch [-t THREADS] [-f PROCESSES] [-w] PAGES
 *
 * Causes a known number of events: each of THREADS threads (0: the main thread)
 * in each of PROCESSES new processes (0: this process) touches PAGES
 * fresh pages, in touch_pages().
 *
 * With -w, "ready" is printed when the threads exist and the other pages are in memory. After a
 * byte of standard input the pages are touched, "done" is printed, and the program waits for the
 * end of the input.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static long pages;
static int threads, processes, interactive;
static pthread_barrier_t begin, end;
static size_t page_size;

static char *map_pages(void)
{
	size_t size = (pages ? pages : 1) * page_size;
	char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED) {
		perror("load-touch: mmap");
		exit(1);
	}
	/* One fault per page, even if the machine has huge pages. */
	madvise(map, size, MADV_NOHUGEPAGE);
	return map;
}

void touch_pages(char *map)
{
	long i;

	for (i = 0; i < pages; i++)
		map[i * page_size] = 1;
}

static void *thread(void *map)
{
	pthread_barrier_wait(&begin);
	touch_pages(map);
	pthread_barrier_wait(&end);
	return NULL;
}

static void wait_for_byte(void)
{
	char c;

	while (read(0, &c, 1) < 0 && errno == EINTR)
		;
}

static void say(const char *text)
{
	if (write(1, text, strlen(text)) < 0)
		exit(1);
}

static void work(void)
{
	pthread_t *ids = calloc(threads, sizeof(*ids));
	char *map = threads ? NULL : map_pages();
	int i;

	pthread_barrier_init(&begin, NULL, threads + 1);
	pthread_barrier_init(&end, NULL, threads + 1);
	for (i = 0; i < threads; i++) {
		errno = pthread_create(&ids[i], NULL, thread, map_pages());
		if (errno) {
			perror("load-touch: pthread_create");
			exit(1);
		}
	}
	if (interactive) {
		say("ready\n");
		wait_for_byte();
	}
	pthread_barrier_wait(&begin);
	if (!threads)
		touch_pages(map);
	pthread_barrier_wait(&end);
	if (interactive) {
		say("done\n");
		wait_for_byte();
	}
	for (i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	free(ids);
}

static int fork_processes(void)
{
	int i, status, failed = 0;

	for (i = 0; i < processes; i++) {
		switch (fork()) {
		case -1:
			perror("load-touch: fork");
			exit(1);
		case 0:
			work();
			_exit(0);
		}
	}
	for (i = 0; i < processes; i++) {
		wait(&status);
		failed |= status;
	}
	return failed != 0;
}

int main(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "t:f:w")) != -1) {
		switch (option) {
		case 't':
			threads = atoi(optarg);
			break;
		case 'f':
			processes = atoi(optarg);
			break;
		case 'w':
			interactive = 1;
			break;
		default:
			return 1;
		}
	}
	if (optind + 1 != argc)
		return 1;
	pages = atol(argv[optind]);
	page_size = sysconf(_SC_PAGESIZE);
	if (processes)
		return fork_processes();
	work();
	return 0;
}
