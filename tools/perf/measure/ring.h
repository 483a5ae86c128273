/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reader's side of the rings that the kernel fills with records.
 */
#ifndef PERF_MEASURE_RING_H
#define PERF_MEASURE_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct ring - one ring of a mapping
 * @head: where the kernel says how far it has written
 * @tail: where it is told how far its records have been read
 * @reserved: where it says how much it began to write, in overwriting; NULL
 *	when it does not say
 * @data: the data
 * @size: bytes of data, a power of two
 * @end: how far it is drained, whatever is written behind that
 */
struct ring {
	__u64 *head;
	__u64 *tail;
	const __u64 *reserved;
	char *data;
	size_t size;
	uint64_t end;
};

/**
 * struct ring_buffer - a mapped buffer: one ring, or several that CPUs share
 * @page: the control page; the data follows it
 * @size: bytes of it all
 * @fd: the counter that it was mapped through
 * @overwrite: nobody reads as it is written, and the oldest records go
 * @rings: the rings
 * @nr_rings: how many
 * @straight: as large as a ring, for records that go over the end of one
 */
struct ring_buffer {
	struct perf_event_mmap_page *page;
	size_t size;
	int fd;
	bool overwrite;
	struct ring *rings;
	size_t nr_rings;
	char *straight;
};

/* Bytes that were ever written to a ring that is overwritten: from its end downward. */
static inline uint64_t ring_written(const struct ring *ring)
{
	return -(uint64_t)__atomic_load_n(ring->head, __ATOMIC_RELAXED);
}

/**
 * typedef ring_sink - takes what comes out of a ring
 * @context: the caller's
 * @records: whole records; the sink may change them, as nobody else looks at them again
 * @bytes: how long they are together
 *
 * Return: 0, or a negative errno that stops the reading.
 */
typedef int (*ring_sink)(void *context, void *records, size_t bytes);

/**
 * ring_buffer_map() - map the buffer of a counter
 * @buffer: gets the mapping
 * @fd: the counter
 * @pages: pages of data, a power of two
 * @overwrite: read-only; the counter writes backward
 *
 * Return: 0 or a negative errno.
 */
int ring_buffer_map(struct ring_buffer *buffer, int fd, size_t pages, bool overwrite);

/**
 * ring_buffer_find_rings() - find the rings of a mapping
 * @buffer: a mapping; the other members are set
 *
 * Return: 0, or -EPROTO when what the control page says is not possible.
 */
int ring_buffer_find_rings(struct ring_buffer *buffer);

/**
 * ring_buffer_drain() - hand on every record that is complete, and make room for more
 * @buffer: the buffer
 * @sink: gets the records, ring by ring
 * @context: the sink's
 *
 * Return: the number of bytes handed on, or what @sink returned.
 */
ssize_t ring_buffer_drain(struct ring_buffer *buffer, ring_sink sink, void *context);

/**
 * ring_buffer_end() - drain what is complete now, and no more
 * @buffer: a buffer that is not overwritten
 */
void ring_buffer_end(struct ring_buffer *buffer);

/**
 * ring_buffer_snapshot() - hand on the last records of a buffer that is overwritten
 * @buffer: the buffer
 * @sink: gets the records, ring by ring, of each the oldest first
 * @context: the sink's
 *
 * The kernel may go on writing where it says what it has reserved, and every
 * record that is handed on is as it was written. Else output has to be paused.
 *
 * Return: 0 or what @sink returned.
 */
int ring_buffer_snapshot(struct ring_buffer *buffer, ring_sink sink, void *context);

void ring_buffer_unmap(struct ring_buffer *buffer);

#endif
