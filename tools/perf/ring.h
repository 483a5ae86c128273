/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reader's side of a ring buffer that the kernel fills with records.
 */
#ifndef PERF_RING_H
#define PERF_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct ring - a mapped buffer
 * @page: the control page; the data follows it
 * @data: the data
 * @size: bytes of data, a power of two
 * @straight: as large, for records that go over the end of @data
 */
struct ring {
	struct perf_event_mmap_page *page;
	char *data;
	size_t size;
	char *straight;
};

/**
 * typedef ring_sink - takes what comes out of a ring
 * @context: the caller's
 * @records: whole records
 * @bytes: how long they are together
 *
 * Return: 0, or a negative errno that stops the reading.
 */
typedef int (*ring_sink)(void *context, const void *records, size_t bytes);

/**
 * ring_map() - map the buffer of a counter
 * @ring: gets the mapping
 * @fd: the counter
 * @pages: pages of data, a power of two
 *
 * Return: 0 or a negative errno.
 */
int ring_map(struct ring *ring, int fd, size_t pages);

/**
 * ring_drain() - hand on every record that is complete, and make room for more
 * @ring: the buffer
 * @sink: gets the records
 * @context: the sink's
 *
 * Return: the number of bytes handed on, or what @sink returned.
 */
ssize_t ring_drain(struct ring *ring, ring_sink sink, void *context);

void ring_unmap(struct ring *ring);

#endif
