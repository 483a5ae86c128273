// SPDX-License-Identifier: GPL-2.0
/*
 * Files (and what is not quite a file) whose code was running.
 */
#include <stdlib.h>
#include <string.h>

#include "call_frame.h"
#include "dso.h"
#include "jit_map.h"
#include "jitdump.h"
#include "kernel.h"
#include "user.h"

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
		dso->name = xstrdup(KERNEL_NAME);
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

/**
 * dso_find_recorded_id - look for a build-id in the recording's list
 * @set: the set of @dso
 * @dso: the dso; an id from its MMAP record stays
 */
void dso_find_recorded_id(const struct dso_set *set, struct dso *dso)
{
	const struct recorded_build_id *b;

	if (dso->id_size)
		return;
	b = data_features_find_build_id(set->features, dso->path);
	if (!b || (dso->kind == DSO_KERNEL && !b->kernel))
		return;
	memcpy(dso->id, b->id, b->size);
	dso->id_size = b->size;
}

static uint64_t hash_id(uint64_t hash, const uint8_t *id, size_t id_size)
{
	size_t i;

	for (i = 0; i < id_size; i++)
		hash = hash_mix(hash, id[i]);
	return hash;
}

/*
 * A file that was replaced under the same name has another id, and so has what a container has
 * under that name: a mapping without an id is of neither.
 */
static bool is_same_file(const struct dso *dso, const uint8_t *id, size_t id_size)
{
	if (!id_size)
		return !dso->mapped_id;
	return dso->id_size == id_size && !memcmp(dso->id, id, id_size);
}

/* By the hash it was added with. */
static struct dso *find_dso(const struct dso_set *set, uint64_t hash, enum dso_kind kind,
			    const char *path, const uint8_t *id, size_t id_size)
{
	struct hash_node *node = hash_table_first(&set->table, hash);
	struct dso *dso;

	for (; node; node = hash_table_next(node)) {
		dso = hash_entry(node, struct dso, node);
		if (dso->kind == kind && !strcmp(dso->path, path) &&
		    is_same_file(dso, id, id_size))
			return dso;
	}
	return NULL;
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
	struct dso *dso = find_dso(set, hash, kind, path, id, id_size);

	/* One that has an id is found by it, unless its id came later. */
	if (!dso && id_size) {
		hash = hash_id(hash, id, id_size);
		dso = find_dso(set, hash, kind, path, id, id_size);
	}
	if (dso)
		return dso;
	dso = xcalloc(1, sizeof(*dso));
	dso->kind = kind;
	dso->path = xstrdup(path);
	if (id_size)
		memcpy(dso->id, id, id_size);
	dso->id_size = id_size;
	dso->mapped_id = id_size;
	set->has_mapped_ids |= id_size && kind == DSO_FILE;
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
		user_symbols_load(set, dso);
		break;
	case DSO_VDSO:
		vdso_symbols_load(set, dso);
		break;
	case DSO_JIT:
		jit_map_read(dso);
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
	if (dso->kind == DSO_JIT)
		return jit_map_symbol(dso, addr, offset);
	if (!find_in_elf(dso, &addr))
		return NULL;
	symbol = symbol_table_find(&dso->elf.symbols, addr);
	if (symbol)
		*offset = addr - symbol->start;
	return symbol;
}

/**
 * dso_set_refresh - read what programs have told since about code that they generate
 * @set: the dsos of what is watched while it runs
 */
void dso_set_refresh(struct dso_set *set)
{
	struct hash_node **nodes = hash_table_nodes(&set->table);
	size_t i;

	for (i = 0; i < set->table.nr; i++) {
		struct dso *dso = hash_entry(nodes[i], struct dso, node);

		if (dso->kind == DSO_JIT && dso->loaded)
			jit_map_read(dso);
	}
	free(nodes);
}

static void free_dso(struct hash_node *node)
{
	struct dso *dso = hash_entry(node, struct dso, node);

	elf_file_free(&dso->elf);
	frame_rules_free(dso->rules);
	jit_map_free(dso->jit);
	jitdump_free(dso->dump);
	free(dso->code_path);
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
