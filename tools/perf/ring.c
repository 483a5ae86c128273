// SPDX-License-Identifier: GPL-2.0
/*
 * The reader's side of a ring buffer that the kernel fills with records.
 * Positions grow for ever; where they are in the data is their remainder.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ring.h"
#include "util.h"

int ring_map(struct ring *ring, int fd, size_t pages)
{
	size_t page_size = sysconf(_SC_PAGESIZE);
	void *map;

	/* Writable: the kernel is told what was read, and overwrites nothing else. */
	map = mmap(NULL, (pages + 1) * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	ring->page = map;
	ring->data = (char *)map + page_size;
	ring->size = pages * page_size;
	ring->straight = xmalloc(ring->size);
	return 0;
}

/* The bytes from @tail on as one piece. */
static const char *straighten(struct ring *ring, uint64_t tail, size_t bytes)
{
	size_t start = tail & (ring->size - 1);
	size_t first = ring->size - start;

	if (bytes <= first)
		return ring->data + start;
	memcpy(ring->straight, ring->data + start, first);
	memcpy(ring->straight + first, ring->data, bytes - first);
	return ring->straight;
}

ssize_t ring_drain(struct ring *ring, ring_sink sink, void *context)
{
	uint64_t tail = ring->page->data_tail;
	uint64_t head;
	size_t bytes;
	int status;

	/* Pairs with the kernel's barrier before it moves data_head: records first. */
	head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	bytes = head - tail;
	if (!bytes)
		return 0;
	if (bytes > ring->size)
		return -EIO;
	status = sink(context, straighten(ring, tail, bytes), bytes);
	/* Pairs with the kernel's read of data_tail before it writes: reading is over. */
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
	return status ? status : (ssize_t)bytes;
}

void ring_unmap(struct ring *ring)
{
	munmap(ring->page, ring->size + sysconf(_SC_PAGESIZE));
	free(ring->straight);
}
