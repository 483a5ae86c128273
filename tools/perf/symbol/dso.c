// SPDX-License-Identifier: GPL-2.0
/*
 * Files (and what is not quite a file) whose code was running.
 */
#include <stdlib.h>
#include <string.h>

#include "dso.h"
#include "jit_map.h"
#include "jitdump.h"
#include "kernel_symbols.h"
#include "user_symbols.h"

/* "/lib/modules/.../nf-tables.ko.xz" is shown as "[nf_tables]", as the kernel names it. */
static char *module_name(const char *path)
{
	const char *base = strrchr(path, '/');
	char *name, *c;

	if (path[0] == '[')
		return escape_name(path);
	base = base ? base + 1 : path;
	name = xasprintf("[%.*s]", (int)strcspn(base, "."), base);
	for (c = name; *c; c++) {
		if (*c == '-')
			*c = '_';
	}
	c = escape_name(name);
	free(name);
	return c;
}

static char *base_name(const char *path)
{
	const char *base = strrchr(path, '/');

	/* "//anon", "[heap]" and paths that end with a slash are shown as they are. */
	if (!base || !base[1] || path[0] == '[' || !strncmp(path, "//", 2))
		base = path;
	else
		base++;
	return escape_name(base);
}

static void name_dso(struct dso *dso)
{
	switch (dso->kind) {
	case DSO_KERNEL:
		dso->name = xstrdup("[kernel.kallsyms]");
		dso->long_name = xstrdup(dso->name);
		break;
	case DSO_MODULE:
	case DSO_KSYMBOL:
		dso->name = module_name(dso->path);
		dso->long_name = xstrdup(dso->name);
		break;
	default:
		dso->name = base_name(dso->path);
		dso->long_name = escape_name(dso->path);
		break;
	}
}

/* The kernel's build-id is recorded under "[kernel.kallsyms]", and once for all its names. */
static bool is_build_id_of(const struct recorded_build_id *b, const struct dso *dso)
{
	if (dso->kind == DSO_KERNEL)
		return b->kernel && !strncmp(b->path, "[kernel.kallsyms]", 17);
	return !strcmp(b->path, dso->path);
}

/**
 * dso_find_recorded_id - look for a build-id in the recording's list
 * @set: the set of @dso
 * @dso: the dso; an id from its MMAP record stays
 */
void dso_find_recorded_id(const struct dso_set *set, struct dso *dso)
{
	size_t i;

	if (dso->id_size)
		return;
	for (i = 0; i < set->features->nr_build_ids; i++) {
		const struct recorded_build_id *b = &set->features->build_ids[i];

		if (is_build_id_of(b, dso)) {
			memcpy(dso->id, b->id, b->size);
			dso->id_size = b->size;
			return;
		}
	}
}

/**
 * dso_set_add - find a dso, or add it
 * @set: the set
 * @kind: what it is
 * @path: its name as in the MMAP record
 * @id: its build-id if the MMAP record has one
 * @id_size: size of @id, or 0
 *
 * Return: the dso; it lives as long as the set.
 */
struct dso *dso_set_add(struct dso_set *set, enum dso_kind kind, const char *path,
			const uint8_t *id, size_t id_size)
{
	uint64_t hash = hash_mix(hash_string(path), kind);
	struct hash_node *node;
	struct dso *dso;

	for (node = hash_table_first(&set->table, hash); node; node = hash_table_next(node)) {
		dso = hash_entry(node, struct dso, node);
		if (dso->kind != kind || strcmp(dso->path, path))
			continue;
		/* A file that was replaced under the same name has another id. */
		if (id_size && (dso->id_size != id_size || memcmp(dso->id, id, id_size)))
			continue;
		return dso;
	}
	dso = xcalloc(1, sizeof(*dso));
	dso->kind = kind;
	dso->path = xstrdup(path);
	if (id_size)
		memcpy(dso->id, id, id_size);
	dso->id_size = id_size;
	name_dso(dso);
	hash_table_add(&set->table, &dso->node, hash);
	return dso;
}

/**
 * dso_set_add_ksymbol - add a dso that is one function
 * @set: the set
 * @name: name of the function
 *
 * Functions of one name may have several sizes; where they are mapped tells.
 *
 * Return: the dso.
 */
struct dso *dso_set_add_ksymbol(struct dso_set *set, const char *name)
{
	struct dso *dso = dso_set_add(set, DSO_KSYMBOL, name, NULL, 0);

	if (!dso->loaded) {
		symbol_table_add(&dso->elf.symbols, 0, UINT64_MAX, name, SYMBOL_GLOBAL);
		symbol_table_finish(&dso->elf.symbols);
		dso->loaded = true;
	}
	return dso;
}

static void load(struct dso_set *set, struct dso *dso)
{
	dso->loaded = true;
	dso_find_recorded_id(set, dso);
	switch (dso->kind) {
	case DSO_FILE:
		user_symbols_load(dso);
		break;
	case DSO_VDSO:
		vdso_symbols_load(set, dso);
		break;
	case DSO_JIT:
		jit_map_load(dso);
		break;
	case DSO_KERNEL:
		kernel_symbols_load(set, dso);
		break;
	case DSO_MODULE:
		module_symbols_load(set, dso);
		break;
	case DSO_JITDUMP:
	case DSO_KSYMBOL:
	case DSO_PLAIN:
		break;
	}
}

/* Where an address is in @dso->elf. False: nowhere. */
static bool find_in_elf(const struct dso *dso, uint64_t *addr)
{
	if (dso->kind == DSO_JIT)
		return jit_map_offset(dso, addr);
	*addr -= dso->relocation;
	return !dso->elf.nr_segments || !elf_offset_to_addr(&dso->elf, *addr, addr);
}

/**
 * dso_symbol - the function at an address
 * @set: the set of @dso
 * @dso: the dso
 * @addr: for files the offset in the file, for kernel, modules and JIT code the address
 *	(of a module that was loaded again: the one it had the first time)
 * @offset: of @addr in the function
 *
 * Return: the function, or NULL; it lives as long as the set.
 */
struct symbol *dso_symbol(struct dso_set *set, struct dso *dso, uint64_t addr, uint64_t *offset)
{
	struct symbol *symbol;

	if (!dso->loaded)
		load(set, dso);
	if (!find_in_elf(dso, &addr))
		return NULL;
	symbol = symbol_table_find(&dso->elf.symbols, addr);
	if (symbol)
		*offset = addr - symbol->start;
	return symbol;
}

static void free_dso(struct hash_node *node)
{
	struct dso *dso = hash_entry(node, struct dso, node);

	elf_file_free(&dso->elf);
	if (dso->code)
		map_set_put(dso->code);
	jitdump_free(dso->dump);
	free(dso->path);
	free(dso->name);
	free(dso->long_name);
	free(dso);
}

void dso_set_free(struct dso_set *set)
{
	hash_table_free_all(&set->table, free_dso);
	free(set->kernel_symbol);
	free(set->kallsyms);
}
