/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A function in a page of its own, which can be mapped and called at any address.
 */
#ifndef PERF_TESTS_HOT_H
#define PERF_TESTS_HOT_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* hot() is alone in its page, and its code is position-independent. */
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
static off_t place;		/* offset of hot() in the file */
static size_t page_size;

/* Return the offset in the file of the page that is mapped at @address: see proc(5), maps. */
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

static void die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(1);
}

/* Open the program and find hot(), for map_hot(). */
static void find_hot(void)
{
	page_size = sysconf(_SC_PAGESIZE);
	program = open("/proc/self/exe", O_RDONLY);
	place = find_place(hot);
	after_hot();
}

static void *map_hot(void)
{
	void *map = mmap(NULL, page_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, program, place);

	if (map == MAP_FAILED)
		die("mmap");
	return map;
}

static void call_hot(void *map)
{
	((long (*)(long))map)(100);
}

#endif
