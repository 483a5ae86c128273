// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the code of a function.
 *
 *	program, library	the file that its functions were read from
 *	kernel			vmlinux, or /proc/kcore if the recorded kernel is running
 *	module			its .ko file, or /proc/kcore
 *	BPF program		/proc/kcore, while the program is loaded
 *	jitdump			the jitdump file
 *
 * Only the bytes of the function are read, and never through a mapping of the file.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build_id_path.h"
#include "code.h"
#include "elf_raw.h"
#include "jitdump.h"
#include "kernel.h"

#define KCORE "/proc/kcore"

/* Read @size bytes at @offset, the code at @code->addr. Return: 0, or -1 with @err set. */
static int read_bytes(struct code *code, int fd, uint64_t size, uint64_t offset, const char *path,
		      struct error *err)
{
	ssize_t n;

	code->cut = size > CODE_SIZE_MAX;
	if (code->cut)
		size = CODE_SIZE_MAX;
	code->bytes = xmalloc(size + 1);
	n = foreign_read(fd, code->bytes, size, offset);
	if (n > 0) {
		code->size = n;
		return 0;
	}
	error_set(err, "%s: cannot read the code: %s", path,
		  n ? open_failure(n) : "the file ends before it");
	return -1;
}

/* Return true if the part contains @addr. */
static bool contains(const struct elf_part *part, uint64_t addr)
{
	return addr >= part->addr && addr - part->addr < part->size;
}

/* Find the section with @addr, or without sections the segment. Return false if there is none. */
static bool find_part(const struct elf_raw *elf, uint64_t addr, struct elf_part *part)
{
	uint64_t i;

	for (i = 1; elf_raw_section(elf, i, part); i++) {
		if ((part->flags & (SHF_ALLOC | SHF_TLS)) == SHF_ALLOC && contains(part, addr))
			return true;
	}
	for (i = 0; elf_raw_segment(elf, i, part); i++) {
		if (part->type == PT_LOAD && contains(part, addr)) {
			part->type = SHT_PROGBITS;
			return true;
		}
	}
	return false;
}

static void set_form(struct code *code, const struct elf_raw *elf)
{
	code->machine = elf->machine;
	code->wide = elf->wide;
	code->big = elf->big;
}

int code_read_elf(struct code *code, int fd, const char *path, uint64_t addr, uint64_t size,
		  struct error *err)
{
	struct elf_part part;
	struct elf_raw elf;
	struct stat st;

	if (elf_raw_open(&elf, fd)) {
		error_set(err, "%s: not an ELF file", path);
		return -1;
	}
	if (!find_part(&elf, addr, &part)) {
		error_set(err, "%s: no section or segment has the function", path);
		return -1;
	}
	if (part.type == SHT_NOBITS) {
		error_set(err, "%s: has symbols, but no code; use --symfs with the program's file",
			  path);
		return -1;
	}
	set_form(code, &elf);
	code->addr = addr;
	if (!fstat(fd, &st))
		code->time = st.st_mtime;
	if (size > part.size - (addr - part.addr))
		size = part.size - (addr - part.addr);
	return read_bytes(code, fd, size, part.offset + (addr - part.addr), path, err);
}

/* Read the code from /proc/kcore, if the running kernel has the function at @addr. */
static int read_kcore(struct code *code, const struct location *at, uint64_t addr, uint64_t size,
		      struct error *err)
{
	int fd, ret;

	if (!kernel_runs_function(at->dso->set, at->symbol->name, addr)) {
		error_set(err, "%s: the kernel that runs does not have it, or hides its address",
			  at->symbol->name);
		return -1;
	}
	fd = open(KCORE, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		error_set(err, KCORE ": cannot read it: %s", strerror(errno));
		return -1;
	}
	ret = code_read_elf(code, fd, KCORE, addr, size, err);
	code->time = 0;
	close(fd);
	return ret;
}

static int read_file(struct code *code, const struct location *at, uint64_t size,
		     struct error *err)
{
	const struct dso *dso = at->dso;
	const char *path = dso->code_path;
	int fd, ret;

	if (!path) {
		error_set(err, "%s: its file is not here, or is not the recorded one; use --symfs",
			  dso->long_name);
		return -1;
	}
	if (dso->id_size && !build_id_matches(dso, path)) {
		error_set(err, "%s: replaced since its functions were read; try again", path);
		return -1;
	}
	fd = open_regular(path);
	if (fd < 0) {
		error_set(err, "%s: cannot read it: %s", path, open_failure(fd));
		return -1;
	}
	ret = code_read_elf(code, fd, dso->long_name, at->symbol->start, size, err);
	close(fd);
	return ret;
}

static int read_kernel(struct code *code, const struct location *at, uint64_t size,
		       struct error *err)
{
	uint64_t relocation, addr = at->symbol->start + at->dso->relocation;
	char *path = kernel_debug_path(at->dso->set, at->dso, &relocation);
	int fd = path ? open_regular(path) : -ENOENT, ret = -1;

	if (fd >= 0) {
		ret = code_read_elf(code, fd, path, addr - relocation, size, err);
		close(fd);
	}
	free(path);
	if (!ret || !read_kcore(code, at, at->symbol->start, size, err))
		return 0;
	error_add(err,
		  "; use -k with the vmlinux of the recorded kernel, or annotate on its machine as root");
	return -1;
}

/* Find the section .text of a module. */
static bool find_text(const struct elf_raw *elf, struct elf_part *part)
{
	char name[8];
	uint64_t i;

	for (i = 1; elf_raw_section(elf, i, part); i++) {
		if (part->type != SHT_PROGBITS || !(part->flags & SHF_EXECINSTR))
			continue;
		elf_raw_name(elf, part, name, sizeof(name));
		if (!strcmp(name, ".text"))
			return true;
	}
	return false;
}

/* Read the code of a module from its file, whose section .text is where the module was mapped. */
static int read_ko(struct code *code, const struct location *at, const char *path, uint64_t size,
		   struct error *err)
{
	uint64_t offset = at->symbol->start + at->dso->relocation - at->dso->start;
	struct elf_part text;
	struct elf_raw elf;
	int fd, ret = -1;

	if (module_file_is_other(at->dso, path)) {
		error_set(err, "%s: not the recorded module (its build-id differs)", path);
		return -1;
	}
	fd = elf_module_open(path);
	if (fd < 0) {
		error_set(err, "%s: cannot read it: %s", path, open_failure(fd));
		return -1;
	}
	if (!elf_raw_open(&elf, fd) && find_text(&elf, &text) && offset < text.size) {
		set_form(code, &elf);
		code->addr = offset;
		if (size > text.size - offset)
			size = text.size - offset;
		ret = read_bytes(code, fd, size, text.offset + offset, path, err);
	} else {
		error_set(err, "%s: its section .text does not have the function", path);
	}
	close(fd);
	return ret;
}

static int read_module(struct code *code, const struct location *at, uint64_t size,
		       struct error *err)
{
	char *path = module_debug_path(at->dso->set, at->dso);
	struct error live;
	int ret = -1;

	if (path)
		ret = read_ko(code, at, path, size, err);
	else
		error_set(err, "%s: the file of the module is not here", at->dso->name);
	free(path);
	if (!ret || !read_kcore(code, at, at->symbol->start, size, &live))
		return 0;
	error_add(err, ", and %s", live.text);
	error_add(err,
		  "; use --symfs with the recorded modules, or annotate on the machine as root");
	return -1;
}

static int read_bpf(struct code *code, const struct location *at, uint64_t size,
		    struct error *err)
{
	if (!read_kcore(code, at, at->ip - at->symbol_offset, size, err))
		return 0;
	error_add(err,
		  "; code of BPF programs in recordings is not read: annotate as root while it is loaded");
	return -1;
}

/* Return the address of generated code: the last one if the code was moved. */
static uint64_t generated_addr(const struct jitdump *dump, uint64_t offset)
{
	uint64_t addr = offset;
	size_t i;

	for (i = 0; i < dump->nr; i++) {
		if (dump->events[i].offset == offset)
			addr = dump->events[i].addr;
	}
	return addr;
}

static int read_jitdump(struct code *code, const struct location *at, uint64_t size,
			struct error *err)
{
	const struct jitdump *dump = at->dso->dump;
	struct stat st;
	int fd, ret;

	fd = jitdump_open(at->dso, &st, err);
	if (fd < 0)
		return -1;
	code->machine = dump->machine;
	code->wide = code->machine != EM_386 && code->machine != EM_PPC;
	code->big = dump->big;
	code->addr = generated_addr(dump, at->symbol->start);
	ret = read_bytes(code, fd, size, at->symbol->start, at->dso->long_name, err);
	close(fd);
	return ret;
}

int code_read(struct code *code, const struct location *at, uint64_t size, struct error *err)
{
	memset(code, 0, sizeof(*code));
	if (!size)
		size = at->symbol->end - at->symbol->start;
	switch (at->dso->kind) {
	case DSO_FILE:
	case DSO_VDSO:
		return read_file(code, at, size, err);
	case DSO_KERNEL:
		return read_kernel(code, at, size, err);
	case DSO_MODULE:
		return read_module(code, at, size, err);
	case DSO_KSYMBOL:
		return read_bpf(code, at, size, err);
	case DSO_JITDUMP:
		return read_jitdump(code, at, size, err);
	case DSO_JIT:
		error_set(err,
			  "/tmp/perf-PID.map has names of generated code, but not the code; let the program write a jitdump file, and record with -k mono");
		return -1;
	case DSO_PLAIN:
		break;
	}
	error_set(err, "%s: memory without a file has no code in a recording", at->dso->long_name);
	return -1;
}

struct location code_location(const struct location *at, uint64_t offset)
{
	struct location there = *at;

	there.addr += offset - at->symbol_offset;
	there.ip += offset - at->symbol_offset;
	there.symbol_offset = offset;
	there.back = 0;
	there.depth = 0;
	return there;
}

void code_free(struct code *code)
{
	free(code->bytes);
	code->bytes = NULL;
}
