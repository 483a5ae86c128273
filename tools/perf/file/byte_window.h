/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A window that slides over a stream of bytes, and holds the bytes that were read and not used
 * yet.
 */
#ifndef PERF_FILE_BYTE_WINDOW_H
#define PERF_FILE_BYTE_WINDOW_H

#include "util/util.h"

/**
 * struct byte_window - unused bytes are @bytes[@start .. @end)
 * @bytes: buffer, allocated by the first read
 * @start: index of the first unused byte
 * @end: index after the last unused byte
 */
struct byte_window {
	char *bytes;
	size_t start;
	size_t end;
};

/*
 * The size of the buffer: larger than any record, and large enough to read many with one system
 * call.
 */
#define BYTE_WINDOW_SIZE (1024 * 1024)

static inline size_t window_available(const struct byte_window *w)
{
	return w->end - w->start;
}

static inline const char *window_bytes(const struct byte_window *w)
{
	return w->bytes + w->start;
}

static inline void window_skip(struct byte_window *w, size_t size)
{
	w->start += size;
}

/* Move the unused bytes to the front. Return: the free room after these bytes, in bytes. */
size_t window_make_room(struct byte_window *w);
void window_free(struct byte_window *w);

#endif
