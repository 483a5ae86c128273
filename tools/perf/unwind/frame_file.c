// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the sections of an ELF file that have call frame information.
 */
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/util.h"
#include "frame_bytes.h"
#include "frame_file.h"
#include "frame_pointer.h"

/* Read @size bytes at @offset. Return false if not all of them could be read. */
static bool read_at(int fd, void *buffer, size_t size, uint64_t offset)
{
	char *at = buffer;
	ssize_t got;

	if (offset > INT64_MAX - size)
		return false;
	while (size) {
		got = pread(fd, at, size, offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		offset += got;
		size -= got;
	}
	return true;
}

static void read_section(int fd, struct frame_section *section, uint64_t offset, uint64_t size,
			 uint64_t addr)
{
	if (section->bytes || !size || size > FRAME_SECTION_MAX)
		return;
	section->bytes = malloc(size);
	if (!section->bytes)
		return;
	if (!read_at(fd, section->bytes, size, offset)) {
		free(section->bytes);
		section->bytes = NULL;
		return;
	}
	section->size = size;
	section->addr = addr;
}

/*
 * Make a 64-bit header of a 32-bit one. The fields have the same names and meanings, but another
 * order and size.
 */
static void widen_header(const Elf32_Ehdr *from, Elf64_Ehdr *to)
{
	to->e_machine = from->e_machine;
	to->e_entry = from->e_entry;
	to->e_phoff = from->e_phoff;
	to->e_shoff = from->e_shoff;
	to->e_phentsize = from->e_phentsize;
	to->e_phnum = from->e_phnum;
	to->e_shentsize = from->e_shentsize;
	to->e_shnum = from->e_shnum;
	to->e_shstrndx = from->e_shstrndx;
}

static void widen_section(const Elf32_Shdr *from, Elf64_Shdr *to)
{
	to->sh_name = from->sh_name;
	to->sh_type = from->sh_type;
	to->sh_flags = from->sh_flags;
	to->sh_addr = from->sh_addr;
	to->sh_offset = from->sh_offset;
	to->sh_size = from->sh_size;
}

static void widen_segment(const Elf32_Phdr *from, Elf64_Phdr *to)
{
	to->p_type = from->p_type;
	to->p_offset = from->p_offset;
	to->p_vaddr = from->p_vaddr;
	to->p_filesz = from->p_filesz;
}

static bool read_header(int fd, struct frame_file *file, Elf64_Ehdr *header)
{
	unsigned char ident[EI_NIDENT];
	Elf32_Ehdr narrow;

	if (!read_at(fd, ident, sizeof(ident), 0) || memcmp(ident, ELFMAG, SELFMAG) ||
	    ident[EI_DATA] != ELFDATA2LSB)
		return false;
	switch (ident[EI_CLASS]) {
	case ELFCLASS64:
		file->word = 8;
		return read_at(fd, header, sizeof(*header), 0);
	case ELFCLASS32:
		file->word = 4;
		if (!read_at(fd, &narrow, sizeof(narrow), 0))
			return false;
		widen_header(&narrow, header);
		return true;
	default:
		return false;
	}
}

static bool read_section_header(int fd, const struct frame_file *file, const Elf64_Ehdr *header,
				unsigned int i, Elf64_Shdr *section)
{
	uint64_t offset = header->e_shoff + (uint64_t)i * header->e_shentsize;
	Elf32_Shdr narrow;

	if (file->word == 8)
		return header->e_shentsize >= sizeof(*section) &&
		       read_at(fd, section, sizeof(*section), offset);
	if (header->e_shentsize < sizeof(narrow) || !read_at(fd, &narrow, sizeof(narrow), offset))
		return false;
	widen_section(&narrow, section);
	return true;
}

static bool read_segment(int fd, const struct frame_file *file, const Elf64_Ehdr *header,
			 unsigned int i, Elf64_Phdr *segment)
{
	uint64_t offset = header->e_phoff + (uint64_t)i * header->e_phentsize;
	Elf32_Phdr narrow;

	if (file->word == 8)
		return header->e_phentsize >= sizeof(*segment) &&
		       read_at(fd, segment, sizeof(*segment), offset);
	if (header->e_phentsize < sizeof(narrow) || !read_at(fd, &narrow, sizeof(narrow), offset))
		return false;
	widen_segment(&narrow, segment);
	return true;
}

static bool has_name(int fd, const Elf64_Shdr *names, const Elf64_Shdr *section, const char *name)
{
	size_t size = strlen(name) + 1;
	char buffer[16];

	return section->sh_name < names->sh_size && size <= sizeof(buffer) &&
	       size <= names->sh_size - section->sh_name &&
	       read_at(fd, buffer, size, names->sh_offset + section->sh_name) &&
	       !memcmp(buffer, name, size);
}

static void read_sections(int fd, struct frame_file *file, const Elf64_Ehdr *header)
{
	Elf64_Shdr names, section;
	unsigned int i;

	if (!read_section_header(fd, file, header, header->e_shstrndx, &names))
		return;
	for (i = 0; i < header->e_shnum; i++) {
		if (!read_section_header(fd, file, header, i, &section))
			return;
		if (section.sh_type == SHT_NOBITS || section.sh_flags & SHF_COMPRESSED)
			continue;
		if (has_name(fd, &names, &section, ".eh_frame"))
			read_section(fd, &file->eh_frame, section.sh_offset, section.sh_size,
				     section.sh_addr);
		else if (has_name(fd, &names, &section, ".debug_frame"))
			read_section(fd, &file->debug_frame, section.sh_offset, section.sh_size,
				     section.sh_addr);
	}
}

/* Find the address of .eh_frame in the segment @at, which contains .eh_frame_hdr. */
static bool find_eh_frame(int fd, const struct frame_file *file, const Elf64_Phdr *at,
			  uint64_t *addr)
{
	uint8_t bytes[12];
	struct frame_bytes reader = { .at = bytes + 4, .end = bytes + sizeof(bytes) };

	/* A version, three encodings, and then the address. */
	return at->p_filesz >= sizeof(bytes) && read_at(fd, bytes, sizeof(bytes), at->p_offset) &&
	       bytes[0] == 1 &&
	       frame_pointer_read(&reader, bytes[1], file->word, at->p_vaddr + 4, addr);
}

/* Read from an address to the end of its segment: the last entry of .eh_frame ends the section. */
static void read_loaded(int fd, struct frame_file *file, const Elf64_Ehdr *header, uint64_t addr)
{
	Elf64_Phdr segment;
	unsigned int i;

	for (i = 0; i < header->e_phnum; i++) {
		if (!read_segment(fd, file, header, i, &segment))
			return;
		if (segment.p_type == PT_LOAD && addr >= segment.p_vaddr &&
		    addr - segment.p_vaddr < segment.p_filesz)
			read_section(fd, &file->eh_frame,
				     segment.p_offset + (addr - segment.p_vaddr),
				     segment.p_filesz - (addr - segment.p_vaddr), addr);
	}
}

/* Read .eh_frame of a file without section headers. */
static void read_by_segments(int fd, struct frame_file *file, const Elf64_Ehdr *header)
{
	Elf64_Phdr segment;
	unsigned int i;
	uint64_t addr;

	for (i = 0; i < header->e_phnum && !file->eh_frame.bytes; i++) {
		if (!read_segment(fd, file, header, i, &segment))
			return;
		if (segment.p_type == PT_GNU_EH_FRAME && find_eh_frame(fd, file, &segment, &addr))
			read_loaded(fd, file, header, addr);
	}
}

void frame_file_read(struct frame_file *file, const char *path)
{
	int fd = open_regular(path);
	Elf64_Ehdr header;

	memset(file, 0, sizeof(*file));
	if (fd < 0)
		return;
	if (read_header(fd, file, &header)) {
		file->machine = header.e_machine;
		file->entry = header.e_entry;
		read_sections(fd, file, &header);
		if (!file->eh_frame.bytes)
			read_by_segments(fd, file, &header);
	}
	close(fd);
}

void frame_file_free(struct frame_file *file)
{
	free(file->eh_frame.bytes);
	free(file->debug_frame.bytes);
}
