// SPDX-License-Identifier: GPL-2.0
/*
 * Pages and their mappings: the pages of a ring are pages of a file in memory, which can be
 * mapped any number of times.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/atomic.h>
#include <linux/vmalloc.h>

#include "memory.h"

#ifdef __SANITIZE_THREAD__
__thread struct shim_fences shim_fences;
#endif

#define MAPPINGS	128

/* The mappings of vmap(), for vunmap(). Only one thread makes and destroys rings. */
static struct {
	const void	*at;
	size_t		bytes;
} mappings[MAPPINGS];

void fail(const char *what)
{
	perror(what);
	exit(2);
}

struct page **pages_alloc(unsigned int nr)
{
	struct page **pages = calloc(nr, sizeof(*pages));
	struct page *all = calloc(nr, sizeof(*all));
	int fd = memfd_create("ring", MFD_CLOEXEC);
	unsigned int i;

	if (!pages || !all || fd < 0 || ftruncate(fd, (off_t)nr << PAGE_SHIFT))
		fail("no memory for the ring");
	for (i = 0; i < nr; i++) {
		all[i].fd = fd;
		all[i].index = i;
		pages[i] = &all[i];
	}
	return pages;
}

void pages_free(struct page **pages)
{
	close(pages[0]->fd);
	free(pages[0]);
	free(pages);
}

void *vmap(struct page **pages, unsigned int nr, unsigned long flags, int protection)
{
	size_t bytes = ((size_t)nr + 2) << PAGE_SHIFT;
	void *guard = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *at = guard + PAGE_SIZE, *done;
	unsigned int i, run, slot;

	if (guard == MAP_FAILED)
		return NULL;
	/* Consecutive pages of a file become one mapping. */
	for (i = 0; i < nr; i += run) {
		run = 1;
		while (i + run < nr && pages[i + run]->fd == pages[i]->fd &&
		       pages[i + run]->index == pages[i]->index + run)
			run++;
		done = mmap(at + ((size_t)i << PAGE_SHIFT), (size_t)run << PAGE_SHIFT,
			    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
			    pages[i]->fd, (off_t)pages[i]->index << PAGE_SHIFT);
		if (done == MAP_FAILED)
			fail("the ring cannot be mapped");
	}
	for (slot = 0; slot < MAPPINGS; slot++) {
		if (!mappings[slot].at) {
			mappings[slot].at = at;
			mappings[slot].bytes = bytes;
			return at;
		}
	}
	munmap(guard, bytes);
	return NULL;
}

void vunmap(const void *at)
{
	unsigned int slot;

	for (slot = 0; slot < MAPPINGS; slot++) {
		if (mappings[slot].at == at) {
			munmap((void *)at - PAGE_SIZE, mappings[slot].bytes);
			mappings[slot].at = NULL;
			return;
		}
	}
}
