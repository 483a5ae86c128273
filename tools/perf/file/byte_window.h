/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A window that slides over a stream of bytes: what was read and not yet used.
 */
#ifndef PERF_FILE_BYTE_WINDOW_H
#define PERF_FILE_BYTE_WINDOW_H

#include "util/util.h"

/**
 * struct byte_window - unused bytes are @bytes[@start .. @end)
 * @bytes: the memory, allocated with the first read
 * @start: the first unused byte
 * @end: behind the last one
 */
struct byte_window {
	char *bytes;
	size_t start;
	size_t end;
};

/* More than the largest record, and large enough that reading it is one system call. */
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

/* Make room behind the unused bytes; returns how much there is. */
size_t window_make_room(struct byte_window *w);
void window_free(struct byte_window *w);

#endif
