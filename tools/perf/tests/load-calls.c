// SPDX-License-Identifier: GPL-2.0
/*
 * load-calls [-n NAME] [-f] MANY FEW
 *
 * Causes page faults with known call chains: MANY in touch_many(), called
 * by walk(), called by main(); FEW in touch_few(), called by main(). With -n the
 * name of the thread is NAME; with -f a child process causes the page faults.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char *map_pages(long pages)
{
	size_t size = (pages ? pages : 1) * sysconf(_SC_PAGESIZE);
	char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED) {
		perror("load-calls: mmap");
		exit(1);
	}
	/* One fault per page, even if the machine has huge pages. */
	madvise(map, size, MADV_NOHUGEPAGE);
	return map;
}

/* Without a call, the compiler may omit the frame of a function. */
static void have_frame(void)
{
	asm volatile("");
}

static void touch_many(char *map, long pages, long page_size)
{
	long i;

	for (i = 0; i < pages; i++) {
		map[i * page_size] = 1;
		asm volatile("" : : "r"(map) : "memory");
	}
	have_frame();
}

static void touch_few(char *map, long pages, long page_size)
{
	long i;

	for (i = pages; i > 0; i--) {
		map[(i - 1) * page_size] = 2;
		asm volatile("" : : "r"(map) : "memory");
	}
	have_frame();
}

static void walk(char *map, long pages, long page_size)
{
	touch_many(map, pages, page_size);
}

int main(int argc, char **argv)
{
	long many, few, page_size = sysconf(_SC_PAGESIZE);
	int c, with_child = 0, status = 0;
	char *map;

	while ((c = getopt(argc, argv, "n:f")) != -1) {
		if (c == 'n')
			prctl(PR_SET_NAME, optarg);
		else if (c == 'f')
			with_child = 1;
		else
			return 129;
	}
	if (optind + 2 != argc) {
		fputs("usage: load-calls [-n NAME] [-f] MANY FEW\n", stderr);
		return 129;
	}
	many = atol(argv[optind]);
	few = atol(argv[optind + 1]);
	if (with_child && fork()) {
		wait(&status);
		return status != 0;
	}
	map = map_pages(many);
	walk(map, many, page_size);
	map = map_pages(few);
	touch_few(map, few, page_size);
	return 0;
}
