/* SPDX-License-Identifier: GPL-2.0 */
/* Compression of records (-z): a stream of zstd, cut into COMPRESSED records. */
#ifndef PERF_RECORD_COMPRESSOR_H
#define PERF_RECORD_COMPRESSOR_H

#include <stddef.h>
#include <stdint.h>

/*
 * Number of bytes that one COMPRESSED record expands to, at most. It is so small that the record
 * never exceeds the 64 KiB of a record, even if the bytes cannot be compressed.
 */
#define COMPRESSOR_PIECE 61440

struct compressor;

/* A function that takes a COMPRESSED record. Return: 0 or a negative errno. */
typedef int (*compressor_sink)(void *context, const void *record, size_t size);

struct compressor *compressor_new(int level);

/**
 * compressor_feed() - Compress bytes and pass on all of them
 * @c: compressor
 * @bytes: bytes
 * @size: number of @bytes
 * @sink: function that takes the records
 * @context: first argument of @sink
 *
 * Return: 0 or a negative errno.
 */
int compressor_feed(struct compressor *c, const void *bytes, size_t size, compressor_sink sink,
		    void *context);

int compressor_level(const struct compressor *c);

/* Return the compression ratio, rounded down: bytes before compression for each byte after it. */
uint32_t compressor_ratio(const struct compressor *c);

void compressor_free(struct compressor *c);

#endif
