/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the programs here say what is right. A function of theirs does nothing but
 * touch pages of one arena, each page once: a sample of every page fault has the
 * page's address, and the program says which function was to touch that page, in
 * lines of
 *
 *   PAGE PAGES FUNCTION
 *
 * So a sample's symbol is right or wrong, whatever the order, time or place.
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

/* How often code moves, and pages that are touched in between. */
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
	/* One fault per page, whatever the machine thinks of huge pages. */
	madvise(ARENA, size, MADV_NOHUGEPAGE);
}

/* Have @touch, which is to be known as @name, touch some pages from @page on. */
static inline long arena_touch(long page, touch_fn touch, const char *name)
{
	touch(ARENA + page * ARENA_PAGE, PAGES);
	printf("%ld %d %s\n", page, PAGES, name);
	return page + PAGES;
}

#endif
