/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads ELF files: build-id, functions and segments.
 */
#ifndef PERF_SYMBOL_ELF_FILE_H
#define PERF_SYMBOL_ELF_FILE_H

#include <gelf.h>

#include "file/file.h"
#include "symbol_table.h"

/* A part of the file that is loaded; sizes and offsets are in bytes. */
struct elf_segment {
	uint64_t offset;
	uint64_t size;
	uint64_t addr;
};

/**
 * struct elf_file - the functions of an ELF file
 * @symbols: functions by the addresses that the file has
 * @segments: loaded parts of the file, which translate offsets to addresses
 * @nr_segments: number of @segments
 */
struct elf_file {
	struct symbol_table symbols;
	struct elf_segment *segments;
	size_t nr_segments;
};

struct Dwfl;
struct Dwfl_Module;

ssize_t elf_build_id_of(int fd, uint8_t id[BUILD_ID_MAX]);
ssize_t elf_build_id(const char *path, uint8_t id[BUILD_ID_MAX]);
int elf_module_open(const char *path);
ssize_t elf_module_build_id(const char *path, uint8_t id[BUILD_ID_MAX]);
ssize_t build_id_of_notes(const void *notes, size_t size, uint8_t id[BUILD_ID_MAX]);
struct Dwfl *elf_dwfl_open_fd(int fd, const char *path, struct Dwfl_Module **module,
			      struct error *err);
struct Dwfl *elf_dwfl_open(const char *path, struct Dwfl_Module **module, struct error *err);
Elf_Scn *elf_text_section(Elf *elf, GElf_Shdr *header);
int elf_file_load(struct elf_file *file, const char *path, struct error *err);
int elf_module_load(struct elf_file *file, const char *path, struct error *err);
int elf_symbol_addr(const char *path, const char *name, uint64_t *addr);
int elf_offset_to_addr(const struct elf_file *file, uint64_t offset, uint64_t *addr);
void elf_file_free(struct elf_file *file);

#endif
