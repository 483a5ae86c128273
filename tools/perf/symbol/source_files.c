// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers for the paths of source files.
 *
 * The lines of a unit refer to few paths, and each path has one address in memory. So a table of
 * recent addresses answers most look-ups.
 */
#include <stdlib.h>
#include <string.h>

#include "source_files.h"

static struct source_file *add_file(struct source_files *files, const char *path, uint64_t hash)
{
	struct source_file *file = xcalloc(1, sizeof(*file));
	const char *slash = strrchr(path, '/');

	if (!files->nr)
		files->nr = NO_SOURCE_FILE + 1;
	file->path = path;
	file->name = intern(&files->strings, slash ? slash + 1 : path);
	file->number = files->nr;
	/* Double the room at each power of two. */
	if (!(files->nr & (files->nr - 1)))
		files->list = xreallocarray(files->list, files->nr * 2, sizeof(*files->list));
	files->list[files->nr++] = file;
	hash_table_add(&files->table, &file->node, hash);
	return file;
}

static uint32_t find_number(struct source_files *files, const char *path)
{
	char *safe = escape_name(path);
	const char *interned = intern(&files->strings, safe);
	uint64_t hash = hash_number((uintptr_t)interned);
	struct hash_node *node;

	free(safe);
	for (node = hash_table_first(&files->table, hash); node; node = hash_table_next(node)) {
		struct source_file *file = hash_entry(node, struct source_file, node);

		if (file->path == interned)
			return file->number;
	}
	return add_file(files, interned, hash)->number;
}

uint32_t source_file_number(struct source_files *files, const char *path)
{
	size_t slot = hash_number((uintptr_t)path) % ARRAY_SIZE(files->recent);

	if (!path)
		return NO_SOURCE_FILE;
	if (files->recent[slot].path != path) {
		files->recent[slot].path = path;
		files->recent[slot].number = find_number(files, path);
	}
	return files->recent[slot].number;
}

void source_files_forget(struct source_files *files)
{
	memset(files->recent, 0, sizeof(files->recent));
}

static void free_file(struct hash_node *node)
{
	free(hash_entry(node, struct source_file, node));
}

void source_files_free(struct source_files *files)
{
	hash_table_free_all(&files->table, free_file);
	free(files->list);
	intern_free(&files->strings);
}
