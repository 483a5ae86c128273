// SPDX-License-Identifier: GPL-2.0
/*
 * Decompressing COMPRESSED records: pieces of one zstd stream of records.
 *
 * A piece is decompressed only as far as it is read, so that no input, however hostile, takes
 * more memory than the reader's buffer.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "decompress.h"

struct decompressor {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	char *piece;
};

struct decompressor *decompressor_new(void)
{
	struct decompressor *d = xcalloc(1, sizeof(*d));

	d->stream = ZSTD_createDStream();
	if (!d->stream)
		die("out of memory");
	return d;
}

/**
 * decompressor_feed - pass in the next piece of the stream
 * @d: decompressor; the previous piece must have been read to its end
 * @bytes: piece; copied
 * @size: size of the piece
 */
void decompressor_feed(struct decompressor *d, const void *bytes, size_t size)
{
	free(d->piece);
	d->piece = xmalloc(size);
	memcpy(d->piece, bytes, size);
	d->in.src = d->piece;
	d->in.size = size;
	d->in.pos = 0;
}

/**
 * decompressor_read - get decompressed bytes
 * @d: decompressor
 * @bytes: receives the bytes
 * @size: size of @bytes
 * @err: receives the reason of a failure
 *
 * Return: the number of bytes; 0 when the piece is used up; -1 with @err set.
 */
ssize_t decompressor_read(struct decompressor *d, void *bytes, size_t size, struct error *err)
{
	ZSTD_outBuffer out = { .dst = bytes, .size = size };
	size_t ret, before;

	while (!out.pos) {
		before = d->in.pos;
		ret = ZSTD_decompressStream(d->stream, &out, &d->in);
		if (ZSTD_isError(ret)) {
			error_set(err, "compressed records are damaged: %s",
				  ZSTD_getErrorName(ret));
			return -1;
		}
		if (!out.pos && d->in.pos == before)
			return 0;
	}
	return out.pos;
}

void decompressor_free(struct decompressor *d)
{
	if (!d)
		return;
	ZSTD_freeDStream(d->stream);
	free(d->piece);
	free(d);
}
