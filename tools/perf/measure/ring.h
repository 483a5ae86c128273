/* SPDX-License-Identifier: GPL-2.0 */
/* The reader's side of the rings that the kernel fills with records. */
#ifndef PERF_MEASURE_RING_H
#define PERF_MEASURE_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct ring - one ring of a mapping
 * @head: position up to which the kernel has written
 * @tail: position up to which the records have been read
 * @reserved: for an overwritten ring, position up to which the kernel has begun to write; NULL if
 *	the kernel does not report it
 * @data: data of the ring
 * @size: bytes of data, a power of two
 * @end: position up to which the ring is drained, whatever comes later
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
 * @page: user page; the data follows it
 * @size: bytes of the mapping
 * @fd: counter through which the buffer was mapped
 * @overwrite: records are not consumed, and the oldest are overwritten
 * @rings: rings
 * @nr_rings: number of @rings
 * @straight: room for the largest ring, for records that wrap around the end
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

/* Bytes that were ever written to an overwritten ring: the head moves downward from 0. */
static inline uint64_t ring_written(const struct ring *ring)
{
	return -(uint64_t)__atomic_load_n(ring->head, __ATOMIC_RELAXED);
}

/**
 * typedef ring_sink - a function that receives records
 * @context: argument of the caller
 * @records: whole records; the sink may change them, as they are not read again
 * @bytes: total length of the records
 *
 * Return: 0, or a negative errno that stops the reading.
 */
typedef int (*ring_sink)(void *context, void *records, size_t bytes);

/**
 * ring_buffer_map() - map the buffer of a counter
 * @buffer: receives the mapping
 * @fd: counter
 * @pages: pages of data, a power of two
 * @overwrite: map read-only, for a counter that writes backward
 *
 * Return: 0 or a negative errno.
 */
int ring_buffer_map(struct ring_buffer *buffer, int fd, size_t pages, bool overwrite);

/**
 * ring_buffer_find_rings() - find the rings of a mapping
 * @buffer: mapping with @page and @size set; receives the other members
 *
 * Return: 0, or -EPROTO if the user page contradicts itself.
 */
int ring_buffer_find_rings(struct ring_buffer *buffer);

/**
 * ring_buffer_drain() - pass on every complete record, and free its room
 * @buffer: buffer
 * @sink: function that receives the records, ring by ring
 * @context: argument of @sink
 *
 * Return: the number of bytes passed on, or the error of @sink.
 */
ssize_t ring_buffer_drain(struct ring_buffer *buffer, ring_sink sink, void *context);

/**
 * ring_buffer_end() - limit further draining to the records that are complete now
 * @buffer: buffer that is not overwritten
 */
void ring_buffer_end(struct ring_buffer *buffer);

/**
 * ring_buffer_snapshot() - pass on the last records of an overwritten buffer
 * @buffer: buffer
 * @sink: function that receives the records, ring by ring, the oldest first
 * @context: argument of @sink
 *
 * If the kernel reports what it has reserved, it may go on writing, and every record that is
 * passed on is intact. Otherwise output has to be paused.
 *
 * Return: 0 or the error of @sink.
 */
int ring_buffer_snapshot(struct ring_buffer *buffer, ring_sink sink, void *context);

void ring_buffer_unmap(struct ring_buffer *buffer);

#endif
