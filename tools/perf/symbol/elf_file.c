// SPDX-License-Identifier: GPL-2.0
/*
 * Reads ELF files: build-id, functions and segments.
 *
 * libdwfl finds the symbols: in the file, in its debug file (see debug_file.c) or in
 * .gnu_debugdata; compressed or not.
 */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debug_file.h"
#include "elf_file.h"
#include "elf_plt.h"
#include "elf_raw.h"
#include "elf_safe.h"
#include "unpack.h"

/* A file that is open as ELF. */
struct open_elf {
	int fd;
	Elf *elf;
};

/*
 * Start to read @fd with libelf; @fd is closed. elf_safe_fd() makes sure that no other process can
 * change the file, so libelf may map it. Return: 0, or -1 with @err set.
 */
static int begin_elf(struct open_elf *e, int fd, const char *path, struct error *err)
{
	e->fd = elf_safe_fd(fd, path, err);
	if (e->fd < 0)
		return -1;
	elf_version(EV_CURRENT);
	e->elf = elf_begin(e->fd, ELF_C_READ_MMAP, NULL);
	if (e->elf && elf_kind(e->elf) == ELF_K_ELF)
		return 0;
	error_set(err, "%s: not an ELF file", path);
	elf_end(e->elf);
	close(e->fd);
	return -1;
}

static int open_elf(struct open_elf *e, const char *path, struct error *err)
{
	int fd = open_regular(path);

	if (fd >= 0)
		return begin_elf(e, fd, path, err);
	error_set(err, "%s: cannot read it: %s", path, open_failure(fd));
	return -1;
}

static void close_elf(struct open_elf *e)
{
	elf_end(e->elf);
	close(e->fd);
}

/**
 * elf_build_id_of() - Read the build-id of an open file
 * @fd: descriptor of the file; closed
 * @id: set to the build-id
 *
 * Return: The size in bytes; 0 if the file has no build-id; a negative errno if it is not
 * readable or not an ELF file.
 */
ssize_t elf_build_id_of(int fd, uint8_t id[BUILD_ID_MAX])
{
	struct elf_raw elf;
	ssize_t size = elf_raw_open(&elf, fd);

	if (!size)
		size = elf_raw_build_id(&elf, id);
	close(fd);
	return size;
}

/* Read the build-id of the file @path, see elf_build_id_of(). */
ssize_t elf_build_id(const char *path, uint8_t id[BUILD_ID_MAX])
{
	int fd = open_regular(path);

	return fd < 0 ? fd : elf_build_id_of(fd, id);
}

/**
 * elf_module_open() - Open the file of a kernel module, and expand it if it is compressed
 * @path: path of the file
 *
 * Return: A close-on-exec descriptor, or a negative errno.
 */
int elf_module_open(const char *path)
{
	int fd = open_regular(path), unpacked;
	struct stat st;

	if (fd < 0 || !is_packed(fd))
		return fd;
	unpacked = fstat(fd, &st) ? -errno : unpack(fd, 0, st.st_size);
	close(fd);
	return unpacked;
}

/* Read the build-id of a kernel module, which may be compressed, see elf_build_id_of(). */
ssize_t elf_module_build_id(const char *path, uint8_t id[BUILD_ID_MAX])
{
	int fd = elf_module_open(path);

	return fd < 0 ? fd : elf_build_id_of(fd, id);
}

/**
 * build_id_of_notes() - Find the build-id among ELF notes
 * @notes: notes, for example all of /sys/kernel/notes
 * @size: size of @notes in bytes
 * @id: set to the build-id
 *
 * Return: The size in bytes; 0 if the notes have no build-id.
 */
ssize_t build_id_of_notes(const void *notes, size_t size, uint8_t id[BUILD_ID_MAX])
{
	const uint8_t *at = notes;
	Elf64_Nhdr note;

	while (size >= sizeof(note)) {
		size_t name, desc;

		memcpy(&note, at, sizeof(note));
		name = ((size_t)note.n_namesz + 3) & ~3UL;
		desc = ((size_t)note.n_descsz + 3) & ~3UL;
		if (name + desc > size - sizeof(note))
			return 0;
		at += sizeof(note);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(at, "GNU", 4) && note.n_descsz <= BUILD_ID_MAX) {
			memcpy(id, at + name, note.n_descsz);
			return note.n_descsz;
		}
		at += name + desc;
		size -= sizeof(note) + name + desc;
	}
	return 0;
}

/* Return true if the symbol is a function, or a label without a type in code (from assembler). */
static bool is_function(const GElf_Sym *sym, Elf *elf, GElf_Word shndx)
{
	GElf_Shdr header;
	Elf_Scn *section;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS)
		return false;
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE:
		section = elf ? elf_getscn(elf, shndx) : NULL;
		return section && gelf_getshdr(section, &header) &&
		       (header.sh_flags & SHF_EXECINSTR);
	default:
		return false;
	}
}

static enum symbol_binding binding_of(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_WEAK:
		return SYMBOL_WEAK;
	case STB_LOCAL:
		return SYMBOL_LOCAL;
	default:
		return SYMBOL_GLOBAL;
	}
}

static void add_segments(struct elf_file *file, Elf *elf)
{
	struct elf_segment *segment;
	GElf_Phdr header;
	size_t i, nr;

	if (elf_getphdrnum(elf, &nr))
		return;
	file->segments = xcalloc(nr, sizeof(*file->segments));
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &header) || header.p_type != PT_LOAD)
			continue;
		segment = &file->segments[file->nr_segments++];
		segment->offset = header.p_offset;
		segment->size = header.p_filesz;
		segment->addr = header.p_vaddr;
	}
}

/* Add all functions that libdwfl finds for a module, at the addresses that the file has. */
static void add_symbols(struct elf_file *file, Dwfl_Module *module, GElf_Addr bias)
{
	int i, nr = dwfl_module_getsymtab(module);
	GElf_Addr addr, symbol_bias;
	const char *name;
	GElf_Word shndx;
	GElf_Sym sym;
	Elf *elf;

	for (i = 0; i < nr; i++) {
		name = dwfl_module_getsym_info(module, i, &sym, &addr, &shndx, &elf,
					       &symbol_bias);
		if (name && *name && is_function(&sym, elf, shndx))
			symbol_table_add(&file->symbols, addr - bias, sym.st_size, name,
					 binding_of(&sym));
	}
}

static int load_module(struct elf_file *file, Dwfl_Module *module)
{
	GElf_Addr bias;
	Elf *elf;

	elf = dwfl_module_getelf(module, &bias);
	if (!elf)
		return -1;
	add_segments(file, elf);
	add_symbols(file, module, bias);
	symbol_table_finish(&file->symbols);
	elf_plt_add(&file->symbols, elf);
	return 0;
}

static char *debuginfo_path;		/* NULL: the default of libdwfl */

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = debug_file_find,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debuginfo_path,
};

/**
 * elf_dwfl_open_fd() - Open a program, a library or vmlinux with libdwfl
 * @fd: descriptor from elf_safe_fd(); closed with the session, or at once if opening fails
 * @path: path of the file
 * @module: set to the module that stands for the file
 * @err: set to the reason if opening fails
 *
 * Return: The session, which the caller ends with dwfl_end(); NULL with @err set.
 */
Dwfl *elf_dwfl_open_fd(int fd, const char *path, Dwfl_Module **module, struct error *err)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (!dwfl)
		die("libdwfl: %s", dwfl_errmsg(-1));
	dwfl_report_begin(dwfl);
	*module = dwfl_report_offline(dwfl, path, path, fd);
	if (*module) {
		dwfl_report_end(dwfl, NULL, NULL);
		return dwfl;
	}
	error_set(err, "%s: no symbols: %s", path, dwfl_errmsg(-1));
	close(fd);
	dwfl_end(dwfl);
	return NULL;
}

/* Open the file @path, see elf_dwfl_open_fd(). */
Dwfl *elf_dwfl_open(const char *path, Dwfl_Module **module, struct error *err)
{
	int fd = elf_safe_open(path, err);

	return fd < 0 ? NULL : elf_dwfl_open_fd(fd, path, module, err);
}

/**
 * elf_file_load() - Read the functions of a program, a library or vmlinux
 * @file: gets the functions; all zeros before
 * @path: path of the file
 * @err: set to the reason if reading fails
 *
 * Return: 0, or -1 with @err set.
 */
int elf_file_load(struct elf_file *file, const char *path, struct error *err)
{
	Dwfl_Module *module;
	Dwfl *dwfl = elf_dwfl_open(path, &module, err);
	int ret;

	if (!dwfl)
		return -1;
	ret = load_module(file, module);
	if (ret)
		error_set(err, "%s: no symbols: %s", path, dwfl_errmsg(-1));
	dwfl_end(dwfl);
	return ret;
}

/* The symbols of a .symtab section. */
struct symtab {
	Elf *elf;
	Elf_Data *data;
	size_t names;			/* index of the section with the names */
	int nr;
};

static int find_symtab(struct symtab *symtab, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB ||
		    !header.sh_entsize)
			continue;
		symtab->elf = elf;
		symtab->data = elf_getdata(section, NULL);
		symtab->names = header.sh_link;
		symtab->nr = symtab->data ? symtab->data->d_size / header.sh_entsize : 0;
		return symtab->data ? 0 : -1;
	}
	return -1;
}

/* Read the symbol with index @i to @sym. Return: its name, or NULL if it has none. */
static const char *get_symbol(const struct symtab *symtab, int i, GElf_Sym *sym)
{
	const char *name;

	if (!gelf_getsym(symtab->data, i, sym))
		return NULL;
	name = elf_strptr(symtab->elf, symtab->names, sym->st_name);
	return name && *name ? name : NULL;
}

/**
 * elf_symbol_addr() - Find the address of a symbol of any type in .symtab
 * @path: path of the file
 * @name: name of the symbol
 * @addr: set to the address
 *
 * Return: 0, or -1 if there is no such symbol.
 */
int elf_symbol_addr(const char *path, const char *name, uint64_t *addr)
{
	struct symtab symtab;
	struct open_elf e;
	struct error err;
	const char *other;
	int i, ret = -1;
	GElf_Sym sym;

	if (open_elf(&e, path, &err))
		return -1;
	if (!find_symtab(&symtab, e.elf)) {
		for (i = 0; i < symtab.nr && ret; i++) {
			other = get_symbol(&symtab, i, &sym);
			if (!other || sym.st_shndx == SHN_UNDEF || strcmp(name, other))
				continue;
			*addr = sym.st_value;
			ret = 0;
		}
	}
	close_elf(&e);
	return ret;
}

/**
 * elf_text_section() - Find the section .text
 * @elf: file, open
 * @header: gets the header of the section
 *
 * Return: the section; NULL if there is none.
 */
Elf_Scn *elf_text_section(Elf *elf, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	const char *name;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, header))
			continue;
		name = elf_strptr(elf, names, header->sh_name);
		if (name && !strcmp(name, ".text"))
			return section;
	}
	return NULL;
}

/**
 * elf_module_load() - Read the functions of a kernel module: a .ko, .ko.xz or .ko.zst
 * @file: gets the functions, by offset in the section .text; all zeros before
 * @path: path of the file
 * @err: set to the reason if reading fails
 *
 * Return: 0, or -1 with @err set.
 */
int elf_module_load(struct elf_file *file, const char *path, struct error *err)
{
	Elf_Scn *section;
	GElf_Shdr header;
	struct symtab symtab;
	struct open_elf e;
	const char *name;
	int i, fd, ret = -1;
	GElf_Sym sym;
	size_t text;

	fd = elf_module_open(path);
	if (fd < 0) {
		error_set(err, "%s: cannot read it: %s", path, open_failure(fd));
		return -1;
	}
	if (begin_elf(&e, fd, path, err))
		return -1;
	section = elf_text_section(e.elf, &header);
	text = section ? elf_ndxscn(section) : 0;
	if (text && !find_symtab(&symtab, e.elf)) {
		for (i = 0; i < symtab.nr; i++) {
			name = get_symbol(&symtab, i, &sym);
			if (name && sym.st_shndx == text && is_function(&sym, e.elf, text))
				symbol_table_add(&file->symbols, sym.st_value, sym.st_size, name,
						 binding_of(&sym));
		}
		symbol_table_finish(&file->symbols);
		ret = 0;
	}
	close_elf(&e);
	if (ret)
		error_set(err, "%s: no symbols in it", path);
	return ret;
}

/**
 * elf_offset_to_addr() - Find the address at which a byte of the file is loaded
 * @file: segments of the file
 * @offset: offset of the byte in the file
 * @addr: set to the address that the file's headers and symbols use
 *
 * Return: 0, or -1 if no segment contains the byte.
 */
int elf_offset_to_addr(const struct elf_file *file, uint64_t offset, uint64_t *addr)
{
	size_t i;

	for (i = 0; i < file->nr_segments; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->size) {
			*addr = segment->addr + (offset - segment->offset);
			return 0;
		}
	}
	return -1;
}

void elf_file_free(struct elf_file *file)
{
	symbol_table_free(&file->symbols);
	free(file->segments);
}
