// SPDX-License-Identifier: GPL-2.0
/*
 * Paths of files that are stored by build-id.
 *
 * The path contains the build-id in hexadecimal; its first byte is a directory of its own:
 * ab/cdef01...
 */
#include <stdlib.h>
#include <string.h>

#include "build_id_path.h"
#include "cache_path.h"

/* Return the build-id of a dso in hexadecimal; the caller frees the text. */
char *build_id_text(const struct dso *dso)
{
	char *text = xcalloc(BUILD_ID_MAX * 2 + 1, 1);
	size_t i;

	for (i = 0; i < dso->id_size; i++)
		sprintf(text + i * 2, "%02x", dso->id[i]);
	return text;
}

/**
 * build_id_cached() - Find a copy that perf record made
 * @dso: dso whose build-id is looked up
 * @name: kind of the file: "elf", "kallsyms", ...
 *
 * Return: The path, which need not exist, or NULL; the caller frees it.
 */
char *build_id_cached(const struct dso *dso, const char *name)
{
	char *directory, *id, *path;

	if (!dso->id_size)
		return NULL;
	directory = file_cache_path();
	if (!directory)
		return NULL;
	id = build_id_text(dso);
	path = xasprintf("%s/.build-id/%.2s/%s/%s", directory, id, id + 2, name);
	free(id);
	free(directory);
	return path;
}

/**
 * build_id_installed() - Find a file that a package installed by build-id
 * @dso: dso whose build-id is looked up
 * @suffix: ".debug" for separate debug information, "" for the file itself
 *
 * Return: The path, which need not exist, or NULL; the caller frees it.
 */
char *build_id_installed(const struct dso *dso, const char *suffix)
{
	char *id, *path;

	if (!dso->id_size)
		return NULL;
	id = build_id_text(dso);
	path = xasprintf("/usr/lib/debug/.build-id/%.2s/%s%s", id, id + 2, suffix);
	free(id);
	return path;
}

/* Return true if the ELF file @path has the build-id that was recorded for @dso. */
bool build_id_matches(const struct dso *dso, const char *path)
{
	uint8_t id[BUILD_ID_MAX];

	return dso->id_size && elf_build_id(path, id) == (ssize_t)dso->id_size &&
	       !memcmp(id, dso->id, dso->id_size);
}
