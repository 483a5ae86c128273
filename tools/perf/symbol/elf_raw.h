/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Headers and notes of an ELF file, read one by one, without libelf.
 *
 * libelf allocates memory for as many sections, and walks through as many notes, as a file claims
 * to have. The functions here do not.
 */
#ifndef PERF_SYMBOL_ELF_RAW_H
#define PERF_SYMBOL_ELF_RAW_H

#include "file/file.h"

/* Maximum number of sections, and of segments. A file with more is refused. */
#define ELF_PARTS_MAX (1 << 18)

/**
 * struct elf_raw - an ELF file
 * @fd: descriptor of the file
 * @size: size of the file in bytes
 * @wide: the file is a 64-bit one
 * @swapped: the file has the other byte order
 * @big: the file is in big-endian byte order
 * @machine: architecture, EM_*
 * @segments: offset of the program headers
 * @nr_segments: number of program headers
 * @sections: offset of the section headers
 * @nr_sections: number of section headers
 * @names: index of the section with the names of sections
 */
struct elf_raw {
	int fd;
	uint64_t size;
	bool wide;
	bool swapped;
	bool big;
	uint16_t machine;
	uint64_t segments;
	uint64_t nr_segments;
	uint64_t sections;
	uint64_t nr_sections;
	uint64_t names;
};

/**
 * struct elf_part - a section or a segment
 * @header: offset of its header in the file
 * @type: sh_type or p_type
 * @flags: sh_flags; 0 for a segment
 * @addr: address of its contents, sh_addr or p_vaddr
 * @offset: offset of its contents
 * @size: size of its contents in bytes
 * @name: offset of the name among the names of sections; 0 for a segment
 * @link: sh_link; for the first section, the index of the names if it does not fit in the header
 */
struct elf_part {
	uint64_t header;
	uint32_t type;
	uint64_t flags;
	uint64_t addr;
	uint64_t offset;
	uint64_t size;
	uint32_t name;
	uint32_t link;
};

int elf_raw_open(struct elf_raw *elf, int fd);
bool elf_raw_section(const struct elf_raw *elf, uint64_t i, struct elf_part *part);
bool elf_raw_segment(const struct elf_raw *elf, uint64_t i, struct elf_part *part);
void elf_raw_name(const struct elf_raw *elf, const struct elf_part *part, char *name, size_t room);
uint64_t elf_raw_number(const struct elf_raw *elf, const void *bytes, size_t size);
ssize_t elf_raw_build_id(const struct elf_raw *elf, uint8_t id[BUILD_ID_MAX]);

#endif
