/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that a recording contains (perf record --self-contained), in a feature section of this
 * tool.
 *
 * The section is a sequence of files. Each is a struct stored_head, the path of the file, and its
 * contents, compressed by zstd; path and contents are padded to a multiple of 8 bytes. Readers
 * that do not know the section skip it.
 */
#ifndef PERF_FILE_STORED_H
#define PERF_FILE_STORED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format.h"

enum stored_kind {
	STORED_ELF		= 1,	/* program, library or vdso; perhaps without code */
	STORED_DEBUG		= 2,	/* debug file of the program or library */
	STORED_KALLSYMS		= 3,
	STORED_PERF_MAP		= 4,	/* /tmp/perf-PID.map */
};

/**
 * struct stored_head - the start of a stored file
 * @kind: enum stored_kind
 * @id_size: size of @id in bytes; 0: the file has no build-id
 * @id: build-id
 * @path_size: size of the path in bytes, without padding
 * @packed: size of the compressed contents in bytes, without padding
 */
struct stored_head {
	uint32_t kind;
	uint32_t id_size;
	uint8_t id[BUILD_ID_MAX];
	uint32_t path_size;
	uint64_t packed;
};

/* Maximum size of the section in bytes; readers accept no more. */
#define STORED_SIZE_MAX (200ULL << 20)

/**
 * struct stored_files - the section in memory
 * @bytes: section, or NULL
 * @size: size of @bytes
 */
struct stored_files {
	void *bytes;
	size_t size;
};

/**
 * stored_find() - Find a file
 * @files: section, which is not trusted
 * @kind: enum stored_kind
 * @path: path of a file without a build-id; ignored if @id_size is not 0
 * @id: build-id
 * @id_size: size of @id in bytes
 * @packed: set to the size of the compressed contents
 *
 * Return: The compressed contents, or NULL.
 */
const void *stored_find(const struct stored_files *files, enum stored_kind kind, const char *path,
			const uint8_t *id, size_t id_size, size_t *packed);

/* Append a file to the section. Return: false if the section would be too large. */
bool stored_add(struct stored_files *files, const struct stored_head *head, const char *path,
		const void *packed);

#endif
