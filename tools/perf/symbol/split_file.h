/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file with debug information that the linker did not read: one made with a compilation unit
 * (.dwo), or a package of these (.dwp).
 */
#ifndef PERF_SYMBOL_SPLIT_FILE_H
#define PERF_SYMBOL_SPLIT_FILE_H

#include <gelf.h>
#include <stdbool.h>

#include "util/util.h"

/* The sections of a compilation unit. */
enum split_part {
	SPLIT_INFO,
	SPLIT_ABBREV,
	SPLIT_LINE,
	SPLIT_STR_OFFSETS,
	SPLIT_RNGLISTS,
	SPLIT_STR,
	NR_SPLIT_PARTS,
};

/* Bytes of a section; @bytes is NULL without the section. */
struct split_bytes {
	const uint8_t *bytes;
	size_t size;
};

/**
 * struct split_file - an open .dwo or .dwp file
 * @elf: file
 * @size: size of the file in bytes
 * @big_endian: order of the bytes
 * @parts: whole sections
 * @index: section .debug_cu_index, which only a package has
 */
struct split_file {
	Elf *elf;
	uint64_t size;
	bool big_endian;
	struct split_bytes parts[NR_SPLIT_PARTS];
	struct split_bytes index;
};

/**
 * split_file_open() - Open a .dwo or .dwp file
 * @path: path of the file, which another user may have written
 * @budget: maximum size in bytes
 * @err: set to the reason of a failure
 *
 * Return: The file, which split_file_close() frees; NULL with @err set.
 */
struct split_file *split_file_open(const char *path, uint64_t budget, struct error *err);

/**
 * split_file_unit() - Find the sections of a compilation unit
 * @file: file
 * @id: identifier of the unit (dwo_id)
 * @parts: set to the unit's parts of the sections
 *
 * A .dwo file has no index: its sections are those of the unit.
 *
 * Return: False if a package has no unit with the identifier, or a damaged index.
 */
bool split_file_unit(const struct split_file *file, uint64_t id,
		     struct split_bytes parts[NR_SPLIT_PARTS]);

/*
 * Return the contents of the section with a name in an ELF file. A compressed section is expanded.
 */
struct split_bytes split_section(Elf *elf, const char *name);

/* Return the number of @size bytes, up to 8, at @at. */
uint64_t split_number(const uint8_t *at, size_t size, bool big_endian);

void split_file_close(struct split_file *file);

#endif
