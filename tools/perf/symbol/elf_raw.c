// SPDX-License-Identifier: GPL-2.0
/* Headers and notes of an ELF file, read one by one, without libelf. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/util.h"
#include "elf_raw.h"

/* Size in bytes of the part of a note section that is looked at. */
#define NOTE_SIZE_MAX (64 << 10)
/* Maximum number of sections or segments with notes that are looked at. */
#define NOTE_PARTS_MAX 64

/* Return the number of @size bytes at @bytes, in the byte order of the file. */
uint64_t elf_raw_number(const struct elf_raw *elf, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	static const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < size; i++)
		value = value << 8 | at[big != elf->swapped ? i : size - 1 - i];
	return value;
}

/* A number of a header: its offset and size in 64-bit and in 32-bit files. */
struct field {
	uint8_t at64, size64;
	uint8_t at32, size32;
};

#define FIELD(type, member)							\
	{ offsetof(Elf64_##type, member), sizeof(((Elf64_##type *)0)->member),	\
	  offsetof(Elf32_##type, member), sizeof(((Elf32_##type *)0)->member) }

static uint64_t get(const struct elf_raw *elf, const void *header, struct field field)
{
	const uint8_t *bytes = header;

	return elf->wide ? elf_raw_number(elf, bytes + field.at64, field.size64) :
			   elf_raw_number(elf, bytes + field.at32, field.size32);
}

#define GET(elf, header, type, member) get(elf, header, (struct field)FIELD(type, member))

static bool read_exactly(const struct elf_raw *elf, void *bytes, size_t size, uint64_t offset)
{
	return offset <= elf->size && size <= elf->size - offset &&
	       foreign_read(elf->fd, bytes, size, offset) == (ssize_t)size;
}

static size_t section_size(const struct elf_raw *elf)
{
	return elf->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

static size_t segment_size(const struct elf_raw *elf)
{
	return elf->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
}

/**
 * elf_raw_section() - Read the header of a section
 * @elf: file
 * @i: index of the section
 * @part: set to the section
 *
 * Return: True; false if there is no such section, or the header is outside of the file.
 */
bool elf_raw_section(const struct elf_raw *elf, uint64_t i, struct elf_part *part)
{
	uint8_t header[sizeof(Elf64_Shdr)];

	part->header = elf->sections + i * section_size(elf);
	if (i >= elf->nr_sections ||
	    !read_exactly(elf, header, section_size(elf), part->header))
		return false;
	part->type = GET(elf, header, Shdr, sh_type);
	part->flags = GET(elf, header, Shdr, sh_flags);
	part->addr = GET(elf, header, Shdr, sh_addr);
	part->offset = GET(elf, header, Shdr, sh_offset);
	part->size = GET(elf, header, Shdr, sh_size);
	part->name = GET(elf, header, Shdr, sh_name);
	part->link = GET(elf, header, Shdr, sh_link);
	return true;
}

/* Read the header of a segment, see elf_raw_section(). */
bool elf_raw_segment(const struct elf_raw *elf, uint64_t i, struct elf_part *part)
{
	uint8_t header[sizeof(Elf64_Phdr)];

	memset(part, 0, sizeof(*part));
	part->header = elf->segments + i * segment_size(elf);
	if (i >= elf->nr_segments ||
	    !read_exactly(elf, header, segment_size(elf), part->header))
		return false;
	part->type = GET(elf, header, Phdr, p_type);
	part->addr = GET(elf, header, Phdr, p_vaddr);
	part->offset = GET(elf, header, Phdr, p_offset);
	part->size = GET(elf, header, Phdr, p_filesz);
	return true;
}

/* Read the numbers that are in the first section because the file's header has no room for them. */
static void read_extended(struct elf_raw *elf)
{
	bool no_number = !elf->nr_sections;
	struct elf_part first;

	if (!no_number && elf->names != SHN_XINDEX)
		return;
	elf->nr_sections += no_number;
	if (!elf_raw_section(elf, 0, &first)) {
		elf->nr_sections = 0;
		return;
	}
	if (elf->names == SHN_XINDEX)
		elf->names = first.link;
	if (no_number)
		elf->nr_sections = first.size;
}

/**
 * elf_raw_open() - Read the header of an ELF file
 * @elf: set to the file
 * @fd: descriptor of the file; stays open
 *
 * Return: 0; -ENOEXEC if it is no ELF file; -EMFILE if it claims to have more sections or segments
 * than ELF_PARTS_MAX.
 */
int elf_raw_open(struct elf_raw *elf, int fd)
{
	static const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	uint8_t header[sizeof(Elf64_Ehdr)] = { 0 };
	struct stat st;

	*elf = (struct elf_raw){ .fd = fd };
	if (fstat(fd, &st) ||
	    foreign_read(fd, header, sizeof(header), 0) < (int)sizeof(Elf32_Ehdr) ||
	    memcmp(header, ELFMAG, SELFMAG))
		return -ENOEXEC;
	elf->size = st.st_size;
	elf->wide = header[EI_CLASS] == ELFCLASS64;
	elf->big = header[EI_DATA] == ELFDATA2MSB;
	elf->swapped = big != elf->big;
	elf->machine = GET(elf, header, Ehdr, e_machine);
	elf->segments = GET(elf, header, Ehdr, e_phoff);
	elf->sections = GET(elf, header, Ehdr, e_shoff);
	if (elf->segments && GET(elf, header, Ehdr, e_phentsize) == segment_size(elf))
		elf->nr_segments = GET(elf, header, Ehdr, e_phnum);
	elf->names = GET(elf, header, Ehdr, e_shstrndx);
	elf->nr_sections = GET(elf, header, Ehdr, e_shnum);
	if (elf->sections && GET(elf, header, Ehdr, e_shentsize) == section_size(elf))
		read_extended(elf);
	else
		elf->nr_sections = 0;
	/* Only core dumps have more segments than the header can count. */
	return elf->nr_sections > ELF_PARTS_MAX || elf->nr_segments == PN_XNUM ? -EMFILE : 0;
}

/**
 * elf_raw_name() - Read the name of a section
 * @elf: file
 * @part: section
 * @name: set to the name; cut off, or empty if it is not readable
 * @room: size of @name in bytes
 */
void elf_raw_name(const struct elf_raw *elf, const struct elf_part *part, char *name, size_t room)
{
	struct elf_part names;
	ssize_t n = 0;

	if (elf_raw_section(elf, elf->names, &names) && part->name < names.size &&
	    names.offset < elf->size)
		n = foreign_read(elf->fd, name, room - 1, names.offset + part->name);
	name[n > 0 ? n : 0] = '\0';
}

/* Find the build-id among the notes in @bytes. Return: its size, or 0. */
static ssize_t find_build_id(const struct elf_raw *elf, const uint8_t *at, size_t size,
			     uint8_t id[BUILD_ID_MAX])
{
	while (size >= sizeof(Elf64_Nhdr)) {
		uint64_t name_size = elf_raw_number(elf, at, 4);
		uint64_t id_size = elf_raw_number(elf, at + 4, 4);
		uint64_t name = (name_size + 3) & ~3ULL, desc = (id_size + 3) & ~3ULL;

		if (name + desc > size - sizeof(Elf64_Nhdr))
			return 0;
		if (elf_raw_number(elf, at + 8, 4) == NT_GNU_BUILD_ID && name_size == 4 &&
		    !memcmp(at + sizeof(Elf64_Nhdr), "GNU", 4) && id_size <= BUILD_ID_MAX) {
			memcpy(id, at + sizeof(Elf64_Nhdr) + name, id_size);
			return id_size;
		}
		at += sizeof(Elf64_Nhdr) + name + desc;
		size -= sizeof(Elf64_Nhdr) + name + desc;
	}
	return 0;
}

static ssize_t build_id_in(const struct elf_raw *elf, const struct elf_part *part,
			   uint8_t id[BUILD_ID_MAX])
{
	size_t size = part->size < NOTE_SIZE_MAX ? part->size : NOTE_SIZE_MAX;
	uint8_t *notes = xmalloc(size);
	ssize_t n = part->offset < elf->size ? foreign_read(elf->fd, notes, size, part->offset) : 0;

	n = n > 0 ? find_build_id(elf, notes, n, id) : 0;
	free(notes);
	return n;
}

/**
 * elf_raw_build_id() - Find the build-id of a file
 * @elf: file
 * @id: set to the build-id
 *
 * The segments are looked at only if no section has a build-id.
 *
 * Return: The size in bytes; 0 if the file has no build-id.
 */
ssize_t elf_raw_build_id(const struct elf_raw *elf, uint8_t id[BUILD_ID_MAX])
{
	struct elf_part part;
	unsigned int nr = 0;
	ssize_t n = 0;
	uint64_t i;

	for (i = 0; !n && nr < NOTE_PARTS_MAX && elf_raw_section(elf, i, &part); i++) {
		if (part.type != SHT_NOTE)
			continue;
		n = build_id_in(elf, &part, id);
		nr++;
	}
	for (i = 0; !n && nr < 2 * NOTE_PARTS_MAX && elf_raw_segment(elf, i, &part); i++) {
		if (part.type != PT_NOTE)
			continue;
		n = build_id_in(elf, &part, id);
		nr++;
	}
	return n;
}
