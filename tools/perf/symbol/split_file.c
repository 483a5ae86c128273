// SPDX-License-Identifier: GPL-2.0
/*
 * Reads .dwo files, and packages of these (.dwp).
 *
 * A package has the sections of many .dwo files one after the other. Its section .debug_cu_index
 * has a hash table from the identifier of a unit to a row, which has the offset and the size of the
 * unit's part of each section (DWARF 5, section 7.3.5.3; version 2 of the table is that of GCC and
 * LLVM for DWARF 4):
 *
 *	version, number of columns, units and slots	4 * 4 bytes
 *	identifier of each slot				8 bytes each
 *	row of each slot, from 1; 0 in an empty one	4 bytes each
 *	section of each column				4 bytes each
 *	offsets of each row, then sizes of each row	4 bytes for each column
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_safe.h"
#include "split_file.h"

#define INDEX_HEADER 16

static const char *const section_names[NR_SPLIT_PARTS] = {
	[SPLIT_INFO] = ".debug_info.dwo",
	[SPLIT_ABBREV] = ".debug_abbrev.dwo",
	[SPLIT_LINE] = ".debug_line.dwo",
	[SPLIT_STR_OFFSETS] = ".debug_str_offsets.dwo",
	[SPLIT_RNGLISTS] = ".debug_rnglists.dwo",
	[SPLIT_STR] = ".debug_str.dwo",
};

uint64_t split_number(const uint8_t *at, size_t size, bool big_endian)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < size; i++)
		value |= (uint64_t)at[i] << 8 * (big_endian ? size - 1 - i : i);
	return value;
}

/* Return the section with a name, or NULL. */
static Elf_Scn *find_section(Elf *elf, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	const char *other;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, header) || header->sh_type == SHT_NOBITS)
			continue;
		other = elf_strptr(elf, names, header->sh_name);
		if (other && !strcmp(other, name))
			return section;
	}
	return NULL;
}

struct split_bytes split_section(Elf *elf, const char *name)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(elf, name, &header);
	Elf_Data *data;

	if (!section || ((header.sh_flags & SHF_COMPRESSED) && elf_compress(section, 0, 0) < 0))
		return (struct split_bytes){ 0 };
	data = elf_getdata(section, NULL);
	if (!data || !data->d_buf)
		return (struct split_bytes){ 0 };
	return (struct split_bytes){ data->d_buf, data->d_size };
}

static int read_sections(struct split_file *file, const char *path, struct error *err)
{
	int i;
	GElf_Ehdr header;

	if (!gelf_getehdr(file->elf, &header)) {
		error_set(err, "%s: %s", path, elf_errmsg(-1));
		return -1;
	}
	file->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	for (i = 0; i < NR_SPLIT_PARTS; i++)
		file->parts[i] = split_section(file->elf, section_names[i]);
	file->index = split_section(file->elf, ".debug_cu_index");
	if (file->parts[SPLIT_INFO].bytes && file->parts[SPLIT_ABBREV].bytes)
		return 0;
	error_set(err, "%s: it has no split debug information", path);
	return -1;
}

/* Open @path within the budget. Return: a descriptor that is safe for libelf; -1 with @err set. */
static int open_within(const char *path, uint64_t budget, uint64_t *size, struct error *err)
{
	int fd = open_regular(path);
	struct stat st;

	if (fd < 0) {
		error_set(err, "%s: %s", path, open_failure(fd));
		return -1;
	}
	if (fstat(fd, &st) || (uint64_t)st.st_size > budget) {
		error_set(err, "%s: larger than what is left of the budget for split %s", path,
			  "debug information");
		close(fd);
		return -1;
	}
	*size = st.st_size;
	return elf_safe_fd(fd, path, err);
}

/* Read the file with descriptor @fd. Return: 0, or -1 with @err set. */
static int read_file(struct split_file *file, int fd, const char *path, struct error *err)
{
	elf_version(EV_CURRENT);
	file->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!file->elf) {
		error_set(err, "%s: %s", path, elf_errmsg(-1));
		return -1;
	}
	/* From here on, libelf does not need the descriptor. */
	if (elf_cntl(file->elf, ELF_C_FDREAD)) {
		error_set(err, "%s: %s", path, elf_errmsg(-1));
		return -1;
	}
	return read_sections(file, path, err);
}

struct split_file *split_file_open(const char *path, uint64_t budget, struct error *err)
{
	struct split_file *file = xcalloc(1, sizeof(*file));
	int fd = open_within(path, budget, &file->size, err);
	int ret = fd < 0 ? -1 : read_file(file, fd, path, err);

	if (fd >= 0)
		close(fd);
	if (!ret)
		return file;
	split_file_close(file);
	return NULL;
}

void split_file_close(struct split_file *file)
{
	if (!file)
		return;
	elf_end(file->elf);
	free(file);
}

/**
 * struct cu_index - the parts of .debug_cu_index
 * @big_endian: order of the bytes
 * @version: 2 or 5
 * @columns: number of columns
 * @units: number of rows
 * @slots: number of slots, a power of two
 * @ids: identifier of each slot
 * @rows: row of each slot
 * @table: sections of the columns, and the offsets and sizes of the rows
 */
struct cu_index {
	bool big_endian;
	uint16_t version;
	uint64_t columns;
	uint64_t units;
	uint64_t slots;
	const uint8_t *ids;
	const uint8_t *rows;
	const uint8_t *table;
};

static uint32_t number_at(const struct cu_index *index, const uint8_t *array, uint64_t i)
{
	return split_number(array + 4 * i, 4, index->big_endian);
}

/* Return the version of the index: 4 bytes until version 2, and 2 bytes since version 5. */
static uint16_t version_of(const uint8_t *header, bool big_endian)
{
	uint16_t half = split_number(header, 2, big_endian);

	return half == 5 ? half : split_number(header, 4, big_endian);
}

/* Find the parts of the index. Return: false if it is damaged, or of an unknown version. */
static bool read_index(struct cu_index *index, const struct split_file *file)
{
	const uint8_t *bytes = file->index.bytes;
	uint64_t needed;

	if (file->index.size < INDEX_HEADER)
		return false;
	*index = (struct cu_index){
		.big_endian = file->big_endian, .version = version_of(bytes, file->big_endian),
	};
	index->columns = number_at(index, bytes, 1);
	index->units = number_at(index, bytes, 2);
	index->slots = number_at(index, bytes, 3);
	if ((index->version != 2 && index->version != 5) || index->columns > 64 ||
	    !index->slots || (index->slots & (index->slots - 1)))
		return false;
	needed = INDEX_HEADER + 12 * index->slots + 4 * index->columns * (1 + 2 * index->units);
	if (file->index.size < needed)
		return false;
	index->ids = bytes + INDEX_HEADER;
	index->rows = index->ids + 8 * index->slots;
	index->table = index->rows + 4 * index->slots;
	return true;
}

/* Return the row of a unit, from 1; 0 if there is none. */
static uint32_t find_row(const struct cu_index *index, uint64_t id)
{
	uint64_t mask = index->slots - 1, slot = id & mask, step = (id >> 32 & mask) | 1, i;
	uint32_t row;

	for (i = 0; i < index->slots; i++) {
		row = number_at(index, index->rows, slot);
		if (!row || row > index->units)
			return 0;
		if (split_number(index->ids + 8 * slot, 8, index->big_endian) == id)
			return row;
		slot = (slot + step) & mask;
	}
	return 0;
}

/* Return the part for a column's section, or NR_SPLIT_PARTS for one that is not needed. */
static enum split_part part_of(uint32_t section, uint16_t version)
{
	switch (section) {
	case 1:
		return SPLIT_INFO;
	case 3:
		return SPLIT_ABBREV;
	case 4:
		return SPLIT_LINE;
	case 6:
		return SPLIT_STR_OFFSETS;
	case 8:
		return version == 5 ? SPLIT_RNGLISTS : NR_SPLIT_PARTS;
	default:
		return NR_SPLIT_PARTS;
	}
}

/* Cut a section down to a part of it. Return: false if the section does not have the part. */
static bool cut(struct split_bytes *bytes, uint32_t offset, uint32_t size)
{
	if (offset > bytes->size || size > bytes->size - offset)
		return false;
	bytes->bytes += offset;
	bytes->size = size;
	return true;
}

static bool cut_parts(const struct cu_index *index, uint32_t row,
		      struct split_bytes parts[NR_SPLIT_PARTS])
{
	const uint8_t *offsets = index->table + 4 * index->columns * row;
	const uint8_t *sizes = offsets + 4 * index->columns * index->units;
	bool seen[NR_SPLIT_PARTS] = { false };
	uint64_t i;

	for (i = 0; i < index->columns; i++) {
		enum split_part part = part_of(number_at(index, index->table, i), index->version);

		if (part == NR_SPLIT_PARTS)
			continue;
		if (seen[part] || !cut(&parts[part], number_at(index, offsets, i),
				       number_at(index, sizes, i)))
			return false;
		seen[part] = true;
	}
	for (i = 0; i < SPLIT_STR; i++) {
		if (!seen[i])
			parts[i] = (struct split_bytes){ 0 };
	}
	return seen[SPLIT_INFO] && seen[SPLIT_ABBREV];
}

bool split_file_unit(const struct split_file *file, uint64_t id,
		     struct split_bytes parts[NR_SPLIT_PARTS])
{
	struct cu_index index;
	uint32_t row;

	memcpy(parts, file->parts, sizeof(file->parts));
	if (!file->index.bytes)
		return true;
	if (!read_index(&index, file))
		return false;
	row = find_row(&index, id);
	return row && cut_parts(&index, row, parts);
}
