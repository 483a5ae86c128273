/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Expands compressed parts of files: .gnu_debugdata, and kernel modules.
 *
 * A few hundred kilobytes can expand to gigabytes, so the expanded size has a budget.
 */
#ifndef PERF_SYMBOL_UNPACK_H
#define PERF_SYMBOL_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Budget of one expanded part, in bytes. */
#define UNPACKED_MAX (256ULL << 20)

/* Return true if the file starts as one that unpack() can expand. */
bool is_packed(int fd);

/**
 * unpack() - Expand a part of a file
 * @fd: descriptor of the file
 * @offset: offset of the part
 * @size: size of the part in bytes
 *
 * The part is in the format of xz or zstd.
 *
 * Return: A close-on-exec descriptor of a file in memory; -EFBIG if it would be larger than
 * UNPACKED_MAX; -EBADMSG if the part is damaged; another -errno.
 */
int unpack(int fd, uint64_t offset, uint64_t size);

#endif
