// SPDX-License-Identifier: GPL-2.0
/* Expands and makes the files that a recording contains. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "elf_raw.h"
#include "stored_copy.h"
#include "unpack.h"

/* Level of compression: a low one, because the user waits while files are compressed. */
#define LEVEL 3

static const struct dso_set *stored_set;
/* Bytes that may still be expanded. */
static uint64_t budget = STORED_EXPANDED_MAX;

void stored_use(const struct dso_set *set)
{
	stored_set = set;
}

/* Write bytes to a file in memory. Return: its descriptor, or -1. */
static int file_of(const void *bytes, size_t size)
{
	int fd = memfd_create("stored", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, bytes, size) != (ssize_t)size) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int expand(const void *packed, size_t size)
{
	int fd = file_of(packed, size), expanded;
	struct stat st;

	if (fd < 0)
		return -1;
	expanded = unpack(fd, 0, size);
	close(fd);
	if (expanded < 0 || fstat(expanded, &st) || (uint64_t)st.st_size > budget) {
		warn("a file in the recording is damaged, or expands to more than its budget; it is not used");
		if (expanded >= 0)
			close(expanded);
		return -1;
	}
	budget -= st.st_size;
	return expanded;
}

static int open_stored(const struct dso_set *set, enum stored_kind kind, const char *path,
		       const uint8_t *id, size_t id_size)
{
	const void *packed;
	size_t size;

	if (!set->features || !set->features->stored.size)
		return -1;
	packed = stored_find(&set->features->stored, kind, path, id, id_size, &size);
	return packed ? expand(packed, size) : -1;
}

int stored_open(const struct dso_set *set, enum stored_kind kind, const struct dso *dso)
{
	return open_stored(set, kind, dso->path, dso->id, dso->id_size);
}

int stored_debug_open(const uint8_t *id, size_t id_size)
{
	return stored_set && id_size ? open_stored(stored_set, STORED_DEBUG, "", id, id_size) : -1;
}

void *stored_pack(int fd, size_t *packed)
{
	void *bytes = NULL, *result = NULL;
	struct stat st;
	size_t bound;

	if (fstat(fd, &st) || (uint64_t)st.st_size > UNPACKED_MAX)
		return NULL;
	bytes = xmalloc(st.st_size + 1);
	if (foreign_read(fd, bytes, st.st_size, 0) == st.st_size) {
		bound = ZSTD_compressBound(st.st_size);
		result = xmalloc(bound);
		*packed = ZSTD_compress(result, bound, bytes, st.st_size, LEVEL);
		if (ZSTD_isError(*packed)) {
			free(result);
			result = NULL;
		}
	}
	free(bytes);
	return result;
}

/* Return true if finding functions needs the contents of a section. */
static bool is_needed(const struct elf_raw *elf, const struct elf_part *part)
{
	char name[32];

	switch (part->type) {
	case SHT_SYMTAB:
	case SHT_DYNSYM:
	case SHT_STRTAB:
	case SHT_SYMTAB_SHNDX:
	case SHT_NOTE:
	case SHT_DYNAMIC:
	case SHT_REL:
	case SHT_RELA:
		return true;
	}
	elf_raw_name(elf, part, name, sizeof(name));
	return !strncmp(name, ".plt", 4) || !strcmp(name, ".opd") ||
	       !strcmp(name, ".gnu_debuglink") || !strcmp(name, ".gnu_debugdata");
}

/* Copy a part of a file to the same place. Return: 0 or -errno. */
static int copy_part(int from, int to, uint64_t offset, uint64_t size)
{
	void *bytes;
	ssize_t n;

	if (!size)
		return 0;
	bytes = xmalloc(size);
	n = foreign_read(from, bytes, size, offset);
	if (n > 0 && pwrite(to, bytes, n, offset) != n)
		n = -ENOSPC;
	free(bytes);
	return n < 0 ? n : 0;
}

/*
 * Give a section whose contents are not copied the type SHT_NOBITS. Return: 0 or
 * -errno.
 */
static int drop_part(const struct elf_raw *elf, const struct elf_part *part, int to)
{
	uint32_t type = elf->swapped ? __builtin_bswap32(SHT_NOBITS) : SHT_NOBITS;
	/* sh_type has the same offset and size in both classes. */
	uint64_t at = part->header + offsetof(Elf64_Shdr, sh_type);

	return pwrite(to, &type, sizeof(type), at) == sizeof(type) ? 0 : -ENOSPC;
}

static int copy_symbols(const struct elf_raw *elf, int from, int to)
{
	uint64_t segment = elf->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	uint64_t section = elf->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	struct elf_part part;
	uint64_t i;
	int ret;

	ret = copy_part(from, to, 0, sizeof(Elf64_Ehdr));
	if (!ret)
		ret = copy_part(from, to, elf->segments, elf->nr_segments * segment);
	if (!ret)
		ret = copy_part(from, to, elf->sections, elf->nr_sections * section);
	for (i = 1; !ret && elf_raw_section(elf, i, &part); i++) {
		if (part.type == SHT_NOBITS || part.type == SHT_NULL)
			continue;
		if (part.offset > elf->size || part.size > elf->size - part.offset)
			return -EBADMSG;
		ret = is_needed(elf, &part) ? copy_part(from, to, part.offset, part.size) :
					      drop_part(elf, &part, to);
	}
	for (i = 0; !ret && elf_raw_segment(elf, i, &part); i++) {
		if (part.type == PT_NOTE && part.offset <= elf->size &&
		    part.size <= elf->size - part.offset)
			ret = copy_part(from, to, part.offset, part.size);
	}
	return ret;
}

int stored_symbols_of(int fd)
{
	int to, ret, from = foreign_freeze(dup(fd));
	struct elf_raw elf;

	if (from < 0)
		return from;
	ret = elf_raw_open(&elf, from);
	to = ret ? ret : memfd_create("symbols", MFD_CLOEXEC);
	if (to >= 0) {
		ret = ftruncate(to, elf.size) ? -errno : copy_symbols(&elf, from, to);
		if (ret) {
			close(to);
			to = ret;
		}
	}
	close(from);
	return to;
}
