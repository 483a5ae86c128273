/* SPDX-License-Identifier: GPL-2.0 */
/* Decompressing COMPRESSED records: pieces of one zstd stream of records. */
#ifndef PERF_FILE_DECOMPRESS_H
#define PERF_FILE_DECOMPRESS_H

#include "util/util.h"

struct decompressor;

struct decompressor *decompressor_new(void);
void decompressor_feed(struct decompressor *d, const void *bytes, size_t size);
ssize_t decompressor_read(struct decompressor *d, void *bytes, size_t size, struct error *err);
void decompressor_free(struct decompressor *d);

#endif
