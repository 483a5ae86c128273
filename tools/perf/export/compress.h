/* SPDX-License-Identifier: GPL-2.0 */
/* Streams that compress the bytes written to them. */
#ifndef PERF_EXPORT_COMPRESS_H
#define PERF_EXPORT_COMPRESS_H

#include <stdio.h>

/**
 * compress_gzip() - Open a stream that writes gzip (RFC 1952) to another one
 * @out: stream to write to; stays open when the new stream is closed
 *
 * fclose() of the new stream writes the end, and fails if a write to @out failed.
 *
 * Return: the stream.
 */
FILE *compress_gzip(FILE *out);

/**
 * compress_zstd() - Open a stream that writes a frame of zstd (RFC 8878) to another one
 * @out: stream to write to; stays open when the new stream is closed
 *
 * fclose() of the new stream writes the end, and fails if a write to @out failed.
 *
 * Return: the stream.
 */
FILE *compress_zstd(FILE *out);

#endif
