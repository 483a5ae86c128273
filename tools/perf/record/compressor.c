// SPDX-License-Identifier: GPL-2.0
/* Compression of records (-z): a stream of zstd, cut into COMPRESSED records. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "file/file.h"
#include "compressor.h"

struct compressor {
	ZSTD_CCtx *stream;
	int level;
	uint64_t in;
	uint64_t out;
	struct {
		struct perf_event_header header;
		char bytes[UINT16_MAX - sizeof(struct perf_event_header)];
	} record;
};

_Static_assert(ZSTD_COMPRESSBOUND(COMPRESSOR_PIECE) + 64 <
	       UINT16_MAX - sizeof(struct perf_event_header), "a piece fits into a record");

struct compressor *compressor_new(int level)
{
	struct compressor *c = xcalloc(1, sizeof(*c));

	c->level = level;
	c->stream = ZSTD_createCCtx();
	if (!c->stream)
		die("out of memory");
	ZSTD_CCtx_setParameter(c->stream, ZSTD_c_compressionLevel, level);
	return c;
}

/* Compress and flush a piece into the record. Return: the size of the record, or 0. */
static size_t fill_record(struct compressor *c, const void *bytes, size_t size)
{
	ZSTD_inBuffer in = { .src = bytes, .size = size };
	ZSTD_outBuffer out = { .dst = c->record.bytes, .size = sizeof(c->record.bytes) };

	if (ZSTD_compressStream2(c->stream, &out, &in, ZSTD_e_flush) || in.pos != size)
		return 0;
	c->in += size;
	c->out += out.pos;
	c->record.header.type = USER_RECORD_COMPRESSED;
	c->record.header.size = sizeof(c->record.header) + out.pos;
	return c->record.header.size;
}

int compressor_feed(struct compressor *c, const void *bytes, size_t size, compressor_sink sink,
		    void *context)
{
	const char *piece = bytes;
	size_t length, record_size;
	int ret = 0;

	for (; !ret && size; piece += length, size -= length) {
		length = size < COMPRESSOR_PIECE ? size : COMPRESSOR_PIECE;
		record_size = fill_record(c, piece, length);
		ret = record_size ? sink(context, &c->record, record_size) : -EIO;
	}
	return ret;
}

int compressor_level(const struct compressor *c)
{
	return c->level;
}

uint32_t compressor_ratio(const struct compressor *c)
{
	return c->out ? c->in / c->out : 1;
}

void compressor_free(struct compressor *c)
{
	if (!c)
		return;
	ZSTD_freeCCtx(c->stream);
	free(c);
}
