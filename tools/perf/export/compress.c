// SPDX-License-Identifier: GPL-2.0
/* Streams that compress the bytes written to them, by zlib and libzstd. */
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "util/util.h"
#include "compress.h"

/* Bytes that are compressed in one step, at most. */
#define STEP_SIZE 65536

/* windowBits of deflateInit2() for the largest window, and for gzip's header and end. */
#define GZIP_WINDOW (15 + 16)

struct gzip {
	FILE *out;
	z_stream z;
};

/*
 * Compress the waiting input, with a flush mode of zlib. Return: 0, or -1 if it cannot be written.
 */
static int gzip_step(struct gzip *gzip, int flush)
{
	unsigned char bytes[STEP_SIZE];
	size_t size;

	do {
		gzip->z.next_out = bytes;
		gzip->z.avail_out = sizeof(bytes);
		deflate(&gzip->z, flush);
		size = sizeof(bytes) - gzip->z.avail_out;
		if (fwrite(bytes, 1, size, gzip->out) != size)
			return -1;
	} while (!gzip->z.avail_out);
	return 0;
}

static ssize_t gzip_write(void *cookie, const char *bytes, size_t size)
{
	struct gzip *gzip = cookie;

	if (size > STEP_SIZE)
		size = STEP_SIZE;
	gzip->z.next_in = (unsigned char *)bytes;
	gzip->z.avail_in = size;
	return gzip_step(gzip, Z_NO_FLUSH) ? 0 : size;
}

static int gzip_close(void *cookie)
{
	struct gzip *gzip = cookie;
	int ret;

	gzip->z.avail_in = 0;
	ret = gzip_step(gzip, Z_FINISH);
	deflateEnd(&gzip->z);
	free(gzip);
	return ret;
}

static FILE *open_stream(void *cookie, cookie_io_functions_t functions)
{
	FILE *stream = fopencookie(cookie, "w", functions);

	if (!stream)
		die("out of memory");
	return stream;
}

FILE *compress_gzip(FILE *out)
{
	struct gzip *gzip = xcalloc(1, sizeof(*gzip));

	gzip->out = out;
	if (deflateInit2(&gzip->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		die("out of memory");
	return open_stream(gzip, (cookie_io_functions_t){
		.write = gzip_write, .close = gzip_close,
	});
}

struct zstd {
	FILE *out;
	ZSTD_CStream *z;
};

/* Compress a part of the input in a mode of zstd. Return: 0, or -1 if it cannot be written. */
static int zstd_step(struct zstd *zstd, ZSTD_inBuffer *in, ZSTD_EndDirective mode)
{
	char bytes[STEP_SIZE];
	size_t left;

	do {
		ZSTD_outBuffer out = { .dst = bytes, .size = sizeof(bytes) };

		left = ZSTD_compressStream2(zstd->z, &out, in, mode);
		if (ZSTD_isError(left) || fwrite(bytes, 1, out.pos, zstd->out) != out.pos)
			return -1;
	} while (mode == ZSTD_e_end ? left != 0 : in->pos < in->size);
	return 0;
}

static ssize_t zstd_write(void *cookie, const char *bytes, size_t size)
{
	ZSTD_inBuffer in = { .src = bytes, .size = size };

	return zstd_step(cookie, &in, ZSTD_e_continue) ? 0 : size;
}

static int zstd_close(void *cookie)
{
	ZSTD_inBuffer in = { .src = "" };
	struct zstd *zstd = cookie;
	int ret = zstd_step(zstd, &in, ZSTD_e_end);

	ZSTD_freeCStream(zstd->z);
	free(zstd);
	return ret;
}

FILE *compress_zstd(FILE *out)
{
	struct zstd *zstd = xcalloc(1, sizeof(*zstd));

	zstd->out = out;
	zstd->z = ZSTD_createCStream();
	if (!zstd->z)
		die("out of memory");
	return open_stream(zstd, (cookie_io_functions_t){
		.write = zstd_write, .close = zstd_close,
	});
}
