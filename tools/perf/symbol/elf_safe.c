// SPDX-License-Identifier: GPL-2.0
/* Opens ELF files for libelf and libdw, which map a file and believe the sizes in it. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf_raw.h"
#include "elf_safe.h"
#include "unpack.h"

/* Room for the longest name of a section that is compared. */
#define NAME_MAX_COMPARED 32

/**
 * struct sums - sizes of the parts of a file that are added up, in bytes
 * @contents: sections, except those without contents
 * @notes: sections and segments of notes
 * @expanded: compressed sections when they are expanded
 */
struct sums {
	uint64_t contents;
	uint64_t notes;
	uint64_t expanded;
};

/* Add sizes without overflow. */
static void add(uint64_t *sum, uint64_t size)
{
	*sum = size > UINT64_MAX - *sum ? UINT64_MAX : *sum + size;
}

/* Return the size of a section with the flag SHF_COMPRESSED when it is expanded. */
static uint64_t expanded_size(const struct elf_raw *elf, const struct elf_part *part)
{
	uint8_t header[sizeof(Elf64_Chdr)];
	size_t size = elf->wide ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);

	if (part->offset > elf->size ||
	    foreign_read(elf->fd, header, size, part->offset) != (ssize_t)size)
		return 0;
	return elf->wide ? elf_raw_number(elf, header + offsetof(Elf64_Chdr, ch_size), 8) :
			   elf_raw_number(elf, header + offsetof(Elf32_Chdr, ch_size), 4);
}

/* Return the size of a section .zdebug_... when it is expanded: "ZLIB", and 8 bytes, big-endian. */
static uint64_t old_expanded_size(const struct elf_raw *elf, const struct elf_part *part)
{
	uint8_t header[12];
	uint64_t size = 0;
	size_t i;

	if (part->offset > elf->size ||
	    foreign_read(elf->fd, header, sizeof(header), part->offset) != sizeof(header) ||
	    memcmp(header, "ZLIB", 4))
		return 0;
	for (i = 4; i < sizeof(header); i++)
		size = size << 8 | header[i];
	return size;
}

/* Make a section of a copy empty. Return: 0, or -1. */
static int empty_section(const struct elf_raw *elf, const struct elf_part *part)
{
	static const uint64_t zero;
	size_t size = elf->wide ? 8 : 4;
	uint64_t at = part->header + (elf->wide ? offsetof(Elf64_Shdr, sh_size) :
						  offsetof(Elf32_Shdr, sh_size));

	if (!foreign_is_copy(elf->fd) || pwrite(elf->fd, &zero, size, at) != (ssize_t)size)
		return -1;
	return 0;
}

static int check(int fd, const char *path, struct error *err, bool inner);

/*
 * Check .gnu_debugdata, an ELF file compressed by xz that libdwfl expands without a limit. It is
 * removed from the copy if it is not within the budgets.
 */
static int check_debugdata(const struct elf_raw *elf, const struct elf_part *part, const char *path,
			   struct error *err)
{
	int fd = part->offset < elf->size ? unpack(elf->fd, part->offset, part->size) : -EBADMSG;
	int status = fd;

	if (fd >= 0) {
		status = check(fd, path, err, true);
		close(fd);
	}
	if (status >= 0)
		return 0;
	if (status == -EFBIG)
		warn("%s: its .gnu_debugdata expands to more than %llu MiB; it is not used", path,
		     UNPACKED_MAX >> 20);
	if (!empty_section(elf, part))
		return 0;
	error_set(err, "%s: its .gnu_debugdata is damaged or too large", path);
	return -1;
}

/* Look at a section whose name libdw knows. @inner: the file is the contents of .gnu_debugdata. */
static int check_named(const struct elf_raw *elf, const struct elf_part *part, const char *path,
		       struct sums *sums, struct error *err, bool inner)
{
	char name[NAME_MAX_COMPARED];

	elf_raw_name(elf, part, name, sizeof(name));
	if (!strncmp(name, ".zdebug", 7))
		add(&sums->expanded, old_expanded_size(elf, part));
	if (!strcmp(name, ".gnu_debugdata"))
		return inner ? -1 : check_debugdata(elf, part, path, err);
	return 0;
}

static int check_section(const struct elf_raw *elf, const struct elf_part *part, const char *path,
			 struct sums *sums, struct error *err, bool inner)
{
	if (part->type == SHT_NOBITS)
		return 0;
	add(&sums->contents, part->size);
	if (part->type == SHT_NOTE)
		add(&sums->notes, part->size);
	if (part->flags & SHF_COMPRESSED)
		add(&sums->expanded, expanded_size(elf, part));
	return check_named(elf, part, path, sums, err, inner);
}

/* Check the sums of a file. Return: 0, or -1 with @err set. */
static int check_sums(const struct elf_raw *elf, const char *path, const struct sums *sums,
		      struct error *err)
{
	if (sums->notes > ELF_NOTES_MAX)
		error_set(err, "%s: its notes are larger than %llu MiB; not used", path,
			  ELF_NOTES_MAX >> 20);
	else if (sums->expanded > ELF_EXPANDED_MAX)
		error_set(err, "%s: its compressed sections expand to more than %llu MiB; not used",
			  path, ELF_EXPANDED_MAX >> 20);
	else if (sums->contents > elf->size)
		error_set(err, "%s: damaged, its sections overlap or are cut off; not used", path);
	else
		return 0;
	return -1;
}

/* Check the sizes of a file. Return: 0, or -1 with @err set. */
static int check(int fd, const char *path, struct error *err, bool inner)
{
	struct sums sums = { 0 };
	struct elf_part part;
	struct elf_raw elf;
	int ret;
	uint64_t i;

	ret = elf_raw_open(&elf, fd);
	if (ret) {
		error_set(err, "%s: %s", path, ret == -ENOEXEC ? "not a program or library" :
			  "damaged, it has too many sections or segments; not used");
		return -1;
	}
	/* Section 0 has no contents: its size may be the number of sections. */
	for (i = 1; elf_raw_section(&elf, i, &part); i++) {
		if (check_section(&elf, &part, path, &sums, err, inner))
			return -1;
	}
	for (i = 0; elf_raw_segment(&elf, i, &part); i++) {
		if (part.type == PT_NOTE)
			add(&sums.notes, part.size);
	}
	return check_sums(&elf, path, &sums, err);
}

int elf_safe_fd(int fd, const char *path, struct error *err)
{
	int safe = foreign_freeze(fd);

	if (safe < 0) {
		error_set(err, "%s: cannot read it: %s", path, open_failure(safe));
		return -1;
	}
	if (check(safe, path, err, false)) {
		close(safe);
		return -1;
	}
	return safe;
}

int elf_safe_open(const char *path, struct error *err)
{
	int fd = open_regular(path);

	if (fd < 0) {
		error_set(err, "%s: cannot read it: %s", path, open_failure(fd));
		return -1;
	}
	return elf_safe_fd(fd, path, err);
}
