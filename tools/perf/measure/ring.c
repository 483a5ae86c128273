// SPDX-License-Identifier: GPL-2.0
/*
 * The reader's side of the rings that the kernel fills with records.
 *
 * Positions are 64 bits wide and never wrap; the offset in the data is the remainder by the
 * size. A normal ring is written upward, and the reader tells the kernel what it has read. An
 * overwritten ring is written downward from position 0: the newest record is at the head, so
 * that the reader can walk from there to older records.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/util.h"
#include "ring.h"

#include "../../../include/uapi/linux/perf_counter.h"

/* The layout of perf_events: all of the data is one ring. */
static struct ring only_ring(const struct ring_buffer *buffer)
{
	size_t page_size = sysconf(_SC_PAGESIZE);

	return (struct ring){
		.head = &buffer->page->data_head,
		.tail = &buffer->page->data_tail,
		.data = (char *)buffer->page + page_size,
		.size = buffer->size - page_size,
		.end = UINT64_MAX,
	};
}

static bool subring_fits(const struct ring_buffer *buffer, const struct perf_counter_subring *sub)
{
	return sub->size && !(sub->size & (sub->size - 1)) && sub->size <= buffer->size &&
	       sub->offset <= buffer->size - sub->size;
}

int ring_buffer_find_rings(struct ring_buffer *buffer)
{
	char *page = (char *)buffer->page;
	const struct perf_counter_mmap_layout *more =
		(void *)(page + PERF_COUNTER_MMAP_LAYOUT_OFFSET);
	struct perf_counter_subring *subs = (void *)(page + PERF_COUNTER_SUBRING_OFFSET);
	size_t i, largest = 0;

	buffer->nr_rings = more->size ? more->nr_rings : 1;
	if (!buffer->nr_rings || buffer->nr_rings > PERF_COUNTER_SUBRINGS_MAX)
		return -EPROTO;
	buffer->rings = xcalloc(buffer->nr_rings, sizeof(*buffer->rings));
	for (i = 0; i < buffer->nr_rings; i++) {
		struct ring *ring = &buffer->rings[i];

		if (buffer->nr_rings == 1)
			*ring = only_ring(buffer);
		else if (subring_fits(buffer, &subs[i]))
			*ring = (struct ring){ &subs[i].head, &subs[i].tail, NULL,
					       page + subs[i].offset, subs[i].size,
					       UINT64_MAX };
		else
			return -EPROTO;
		if (more->size)
			ring->reserved = &subs[i].reserved;
		if (ring->size > largest)
			largest = ring->size;
	}
	buffer->straight = xmalloc(largest);
	return 0;
}

int ring_buffer_map(struct ring_buffer *buffer, int fd, size_t pages, bool overwrite)
{
	/*
	 * Map the user page as writable: the kernel then expects the reader to report its position,
	 * and does not overwrite unread records.
	 */
	int status, prot = overwrite ? PROT_READ : PROT_READ | PROT_WRITE;
	size_t size = (pages + 1) * sysconf(_SC_PAGESIZE);
	void *page;

	page = mmap(NULL, size, prot, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return -errno;
	*buffer = (struct ring_buffer){
		.page = page, .size = size, .fd = fd, .overwrite = overwrite,
	};
	status = ring_buffer_find_rings(buffer);
	if (status)
		ring_buffer_unmap(buffer);
	return status;
}

/*
 * Return @bytes from @position on as one piece of memory, copied to @straight if they wrap around.
 */
static char *straighten(const struct ring *ring, uint64_t position, size_t bytes,
			char *straight)
{
	size_t start = position & (ring->size - 1);
	size_t first = ring->size - start;

	if (bytes <= first)
		return ring->data + start;
	memcpy(straight, ring->data + start, first);
	memcpy(straight + first, ring->data, bytes - first);
	return straight;
}

static ssize_t drain_one(struct ring *ring, char *straight, ring_sink sink, void *context)
{
	uint64_t tail = *ring->tail;
	uint64_t head;
	size_t bytes;
	int status;

	/* Pairs with the kernel's barrier between writing records and moving the head. */
	head = __atomic_load_n(ring->head, __ATOMIC_ACQUIRE);
	if (head > ring->end)
		head = ring->end;
	bytes = head - tail;
	if (!bytes)
		return 0;
	if (bytes > ring->size)
		return -EIO;
	status = sink(context, straighten(ring, tail, bytes, straight), bytes);
	/*
	 * Pairs with the kernel's read of the tail before it overwrites records: the reader has
	 * read the records before it moves the tail.
	 */
	__atomic_store_n(ring->tail, head, __ATOMIC_RELEASE);
	return status ? status : (ssize_t)bytes;
}

ssize_t ring_buffer_drain(struct ring_buffer *buffer, ring_sink sink, void *context)
{
	ssize_t bytes, all = 0;
	size_t i;

	for (i = 0; i < buffer->nr_rings; i++) {
		bytes = drain_one(&buffer->rings[i], buffer->straight, sink, context);
		if (bytes < 0)
			return bytes;
		all += bytes;
	}
	return all;
}

void ring_buffer_end(struct ring_buffer *buffer)
{
	size_t i;

	for (i = 0; i < buffer->nr_rings; i++)
		buffer->rings[i].end = __atomic_load_n(buffer->rings[i].head, __ATOMIC_RELAXED);
}

/*
 * Copy a ring from the newest record on. Return: the number of bytes of the copy that are
 * intact.
 */
static size_t copy_newest(const struct ring *ring, char *copy)
{
	/* Pairs with the kernel's barrier between writing records and moving the head. */
	uint64_t head = __atomic_load_n(ring->head, __ATOMIC_ACQUIRE);
	uint64_t written = -head, reserved, since;
	size_t start = head & (ring->size - 1), whole;

	memcpy(copy, ring->data + start, ring->size - start);
	memcpy(copy + ring->size - start, ring->data, start);
	/*
	 * Pairs with the kernel's barrier between reserving room and writing there: if the copy has
	 * any byte that was written there, the reservation is visible here.
	 */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	reserved = ring->reserved ? __atomic_load_n(ring->reserved, __ATOMIC_RELAXED) : written;
	since = reserved - written;
	whole = since < ring->size ? ring->size - since : 0;
	return whole < written ? whole : written;
}

/* Reverse the order of records from newest first to oldest first. Return: the oldest record. */
static char *oldest_first(const char *newest, size_t bytes, char *end)
{
	struct perf_event_header header;

	while (bytes >= sizeof(header)) {
		memcpy(&header, newest, sizeof(header));
		/* The oldest record is partly overwritten. */
		if (header.size < sizeof(header) || header.size > bytes)
			break;
		end -= header.size;
		memcpy(end, newest, header.size);
		newest += header.size;
		bytes -= header.size;
	}
	return end;
}

static int snapshot_one(const struct ring *ring, char *copy, ring_sink sink, void *context)
{
	char *turned = xmalloc(ring->size);
	char *end = turned + ring->size;
	char *oldest;
	int status = 0;

	oldest = oldest_first(copy, copy_newest(ring, copy), end);
	if (oldest != end)
		status = sink(context, oldest, end - oldest);
	free(turned);
	return status;
}

int ring_buffer_snapshot(struct ring_buffer *buffer, ring_sink sink, void *context)
{
	int status = 0;
	size_t i;

	for (i = 0; !status && i < buffer->nr_rings; i++)
		status = snapshot_one(&buffer->rings[i], buffer->straight, sink, context);
	return status;
}

void ring_buffer_unmap(struct ring_buffer *buffer)
{
	munmap(buffer->page, buffer->size);
	free(buffer->rings);
	free(buffer->straight);
}
