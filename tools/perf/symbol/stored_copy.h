/* SPDX-License-Identifier: GPL-2.0 */
/* Expands and makes the files that a recording contains. */
#ifndef PERF_SYMBOL_STORED_COPY_H
#define PERF_SYMBOL_STORED_COPY_H

#include "dso_set.h"

/* Budget of all stored files of a recording when they are expanded, in bytes. */
#define STORED_EXPANDED_MAX (2ULL << 30)

/**
 * stored_open() - Expand a file that the recording contains
 * @set: dsos of the recording
 * @kind: kind of the file
 * @dso: dso with the build-id of the file, or with its path if it has no build-id
 *
 * The contents are as untrusted as those of a file with such a name.
 *
 * Return: A descriptor of a file in memory, or -1.
 */
int stored_open(const struct dso_set *set, enum stored_kind kind, const struct dso *dso);

/* Let debug_file_find() use the stored debug files of @set. */
void stored_use(const struct dso_set *set);

/* Open a stored debug file by its build-id, see stored_use(). Return: a descriptor, or -1. */
int stored_debug_open(const uint8_t *id, size_t id_size);

/**
 * stored_pack() - Compress the contents of a file
 * @fd: descriptor of the file
 * @packed: set to the size of the result in bytes
 *
 * Return: The compressed contents, which the caller frees; NULL if the file cannot be read or is
 * larger than what unpack() expands.
 */
void *stored_pack(int fd, size_t *packed);

/**
 * stored_symbols_of() - Copy an ELF file, but only the contents that are needed to find its
 * functions
 * @fd: descriptor of the file
 *
 * Offsets and addresses stay the same. Sections with code, data and debug information become zeros
 * and get the type SHT_NOBITS.
 *
 * Return: A descriptor of a file in memory, or -errno.
 */
int stored_symbols_of(int fd);

#endif
