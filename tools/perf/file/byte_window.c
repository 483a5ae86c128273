// SPDX-License-Identifier: GPL-2.0
/*
 * A window that slides over a stream of bytes, and holds the bytes that were read and not used
 * yet.
 */
#include <stdlib.h>
#include <string.h>

#include "byte_window.h"

size_t window_make_room(struct byte_window *w)
{
	if (!w->bytes)
		w->bytes = xmalloc(BYTE_WINDOW_SIZE);
	if (w->start) {
		memmove(w->bytes, w->bytes + w->start, w->end - w->start);
		w->end -= w->start;
		w->start = 0;
	}
	return BYTE_WINDOW_SIZE - w->end;
}

void window_free(struct byte_window *w)
{
	free(w->bytes);
}
