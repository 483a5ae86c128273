/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The expected symbols of the programs in this directory. Their functions only touch pages of an
 * arena, each page once. A sample of each page fault has the page's address, and the program prints
 * the function that touched each page, in lines of
 *
 *   PAGE PAGES FUNCTION
 *
 * So the symbol of a sample is right or wrong, independent of order and time.
 */
#ifndef MOVING_ARENA_H
#define MOVING_ARENA_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ARENA		((char *)0x100000000000)
#define ARENA_PAGE	4096
#define ARENA_PAGES	65536

/* The number of moves, and the number of pages that are touched after each. */
#define ROUNDS		25
#define PAGES		20

typedef void (*touch_fn)(char *map, long pages);

static inline _Noreturn void die(const char *what)
{
	fprintf(stderr, "moving: %s: %s\n", what, strerror(errno));
	exit(1);
}

static inline void arena_map(void)
{
	size_t size = (size_t)ARENA_PAGES * ARENA_PAGE;

	if (mmap(ARENA, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != ARENA)
		die("mmap of the arena");
	/* One fault per page, even if the machine has huge pages. */
	madvise(ARENA, size, MADV_NOHUGEPAGE);
}

/* Let @touch, whose right symbol is @name, touch PAGES pages from @page on. */
static inline long arena_touch(long page, touch_fn touch, const char *name)
{
	touch(ARENA + page * ARENA_PAGE, PAGES);
	printf("%ld %d %s\n", page, PAGES, name);
	return page + PAGES;
}

#endif
