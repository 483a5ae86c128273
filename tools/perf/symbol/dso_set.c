// SPDX-License-Identifier: GPL-2.0
/*
 * The dsos of a recording: files, and other things that contain code.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dso_set.h"
#include "jit_map.h"
#include "jitdump.h"

/* Return the kernel's name of a module: "[nf_tables]" for "/lib/modules/.../nf-tables.ko.xz". */
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
 * dso_find_recorded_id() - Give a dso the build-id that the recording's list has for it
 * @set: set that contains @dso
 * @dso: dso; a build-id from its MMAP record is kept
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
 * Return true if @dso is the file with this build-id. Several files may have had one path: a file
 * and its replacement, or files in different containers. Their build-ids tell them apart; a mapping
 * without a build-id is a dso of its own.
 */
static bool is_same_file(const struct dso *dso, const uint8_t *id, size_t id_size)
{
	if (!id_size)
		return !dso->mapped_id;
	return dso->id_size == id_size && !memcmp(dso->id, id, id_size);
}

/* Find a dso by the hash that it was added with. */
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
 * dso_set_add() - Find a dso in a set, or add it
 * @set: set of dsos
 * @kind: kind of the dso
 * @path: path as in the MMAP record
 * @id: build-id from the MMAP record
 * @id_size: size of @id in bytes; 0 if the record has no build-id
 *
 * Return: The dso, which lives as long as the set.
 */
struct dso *dso_set_add(struct dso_set *set, enum dso_kind kind, const char *path,
			const uint8_t *id, size_t id_size)
{
	uint64_t hash = hash_mix(hash_string(path), kind);
	struct dso *dso = find_dso(set, hash, kind, path, id, id_size);

	/* A dso whose build-id came with its mapping is hashed by the build-id, too. */
	if (!dso && id_size) {
		hash = hash_id(hash, id, id_size);
		dso = find_dso(set, hash, kind, path, id, id_size);
	}
	if (dso)
		return dso;
	dso = xcalloc(1, sizeof(*dso));
	dso->kind = kind;
	dso->set = set;
	dso->code_fd = -1;
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
 * dso_set_add_ksymbol() - Add a dso that is one function of the kernel
 * @set: set of dsos
 * @name: name of the function
 *
 * The function has no end here, because functions of one name may differ in size: the mappings
 * know the sizes.
 *
 * Return: The dso, which lives as long as the set.
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

static void free_dso(struct hash_node *node)
{
	struct dso *dso = hash_entry(node, struct dso, node);

	elf_file_free(&dso->elf);
	if (dso->rules)
		dso->free_rules(dso->rules);
	if (dso->source)
		dso->free_source(dso->source);
	jit_map_free(dso->jit);
	jitdump_free(dso->dump);
	free(dso->code_path);
	if (dso->code_fd >= 0)
		close(dso->code_fd);
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
	free(set->running);
	source_files_free(&set->source_files);
}
