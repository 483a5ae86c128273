// SPDX-License-Identifier: GPL-2.0
/*
 * Opens a program, a library or vmlinux, and finds its functions.
 */
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"
#include "binary.h"

int binary_open(struct binary *binary, const char *path, struct error *err)
{
	*binary = (struct binary){ .path = realpath(path, NULL) };
	binary->file.alt_fd = -1;
	if (!binary->path) {
		error_set(err, "%s: %s", path, strerror(errno));
		return -1;
	}
	return dwarf_file_open(&binary->file, binary->path, err);
}

void binary_close(struct binary *binary)
{
	dwarf_file_close(&binary->file);
	free(binary->path);
	binary->path = NULL;
}

int binary_refuse_without_debug(const struct binary *binary, struct error *err)
{
	error_set(err, "%s has no debug information here; compile with -g, or install %s",
		  binary->path, "its debug file");
	return -1;
}

bool binary_is_x86_64(const struct binary *binary)
{
	GElf_Ehdr header;

	return gelf_getehdr(binary->file.elf, &header) && header.e_machine == EM_X86_64 &&
	       header.e_ident[EI_CLASS] == ELFCLASS64;
}

static bool is_function(const GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC);
}

/* A position in the symbol table, and the function there. */
struct function_walk {
	int next;
	GElf_Sym sym;
	GElf_Addr addr;
};

/* Go to the next function. Return: its name, or NULL after the last function. */
static const char *next_function(const struct binary *binary, struct function_walk *walk)
{
	int nr = dwfl_module_getsymtab(binary->file.module);
	const char *name;

	while (walk->next < nr) {
		name = dwfl_module_getsym_info(binary->file.module, walk->next++, &walk->sym,
					       &walk->addr, NULL, NULL, NULL);
		if (name && *name && is_function(&walk->sym))
			return name;
	}
	return NULL;
}

/* Return true if a symbol has exactly this name. */
static bool is_symbol(const char *symbol, const char *name)
{
	return !strcmp(symbol, name);
}

bool binary_is_name_in_source(const char *symbol, const char *name)
{
	char *text, *copy;
	const char *end;
	bool same;

	if (strstr(symbol, ".cold") || strstr(symbol, ".part."))
		return false;
	copy = xstrndup(symbol, strcspn(symbol, "."));
	text = demangle(copy);
	end = text ? text : copy;
	if (strlen(end) > strlen(name))
		end += strlen(end) - strlen(name);
	same = !strcmp(end, name) &&
	       (end == (text ? text : copy) || (end - 2 >= text && !memcmp(end - 2, "::", 2)));
	free(text);
	free(copy);
	return same;
}

/* Find a function whose symbol has the name. Return: 1, 0 if there is none, -1 with @err set. */
static int find_function(const struct binary *binary, const char *name,
			 bool (*has_name)(const char *symbol, const char *name),
			 struct binary_function *function, struct error *err)
{
	struct function_walk walk = { 0 };
	bool found = false;
	const char *other;
	GElf_Addr addr;

	while ((other = next_function(binary, &walk))) {
		if (!has_name(other, name))
			continue;
		if (GELF_ST_TYPE(walk.sym.st_info) == STT_GNU_IFUNC) {
			error_set(err, "'%s' is a choice between functions, made when %s", name,
				  "the program starts; use the name of the chosen function");
			return -1;
		}
		addr = walk.addr - binary->file.bias;
		if (found && function->addr != addr) {
			error_set(err, "%s has several functions '%s'; use FILE:LINE",
				  binary->path, name);
			return -1;
		}
		function->addr = addr;
		function->size = walk.sym.st_size;
		found = true;
	}
	return found;
}

static int refuse_name(const struct binary *binary, const char *name, struct error *err)
{
	struct suggestions near = { .typed = name };
	struct function_walk walk = { 0 };
	const char *other;

	error_set(err, "%s has no function '%s'", binary->path, name);
	while ((other = next_function(binary, &walk)))
		suggestions_add(&near, other);
	if (!suggestions_say(&near, err) && dwfl_module_getsymtab(binary->file.module) <= 1)
		error_add(err, ": it has no symbols; install its debug file");
	return -ENOENT;
}

int binary_function(const struct binary *binary, const char *name,
		    struct binary_function *function, struct error *err)
{
	int found = find_function(binary, name, is_symbol, function, err);

	if (!found)
		found = find_function(binary, name, binary_is_name_in_source, function, err);
	if (found)
		return found < 0 ? -1 : 0;
	return refuse_name(binary, name, err);
}

void binary_walk_functions(const struct binary *binary,
			   void (*visit)(void *context, const char *name), void *context)
{
	struct function_walk walk = { 0 };
	const char *name;

	while ((name = next_function(binary, &walk)))
		visit(context, name);
}

const char *binary_function_at(const struct binary *binary, uint64_t addr,
			       struct binary_function *function)
{
	struct function_walk walk = { 0 };
	const char *name;

	while ((name = next_function(binary, &walk))) {
		function->addr = walk.addr - binary->file.bias;
		function->size = walk.sym.st_size;
		if (addr >= function->addr && addr - function->addr < function->size)
			return name;
	}
	return NULL;
}

/*
 * Find the segment with the code at an address or, with @by_offset, at an offset in the file.
 * Return false if there is none.
 */
static bool find_code(const struct binary *binary, uint64_t at, bool by_offset, GElf_Phdr *header)
{
	uint64_t start;
	size_t i, nr;

	if (elf_getphdrnum(binary->file.elf, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(binary->file.elf, i, header) || header->p_type != PT_LOAD ||
		    !(header->p_flags & PF_X))
			continue;
		start = by_offset ? header->p_offset : header->p_vaddr;
		if (at >= start && at - start < header->p_filesz)
			return true;
	}
	return false;
}

int binary_offset(const struct binary *binary, uint64_t addr, uint64_t *offset)
{
	GElf_Phdr header;

	if (!find_code(binary, addr, false, &header))
		return -1;
	*offset = addr - header.p_vaddr + header.p_offset;
	return 0;
}

int binary_addr(const struct binary *binary, uint64_t offset, uint64_t *addr)
{
	GElf_Phdr header;

	if (!find_code(binary, offset, true, &header))
		return -1;
	*addr = offset - header.p_offset + header.p_vaddr;
	return 0;
}
