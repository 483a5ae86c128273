/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies of files by build-id, in the directory that the kernel's perf uses, too (~/.debug).
 *
 *	PATH/BUILD-ID/elf	copy of the program, library or module PATH
 *	PATH/BUILD-ID/debug	copy of its debug file
 *	[vdso]/BUILD-ID/vdso
 *	[kernel.kallsyms]/BUILD-ID/kallsyms
 *	PATH/BUILD-ID/used	empty: perf record made the entry, and last used it at the time of
 *				the file; no such file: the user or the kernel's perf made it
 *	.build-id/XX/REST	link to ../../PATH/BUILD-ID, which is XX and REST
 *
 * The directory may belong to another user, for example if root records with $HOME of a user. So no
 * link in it is followed, and each file is written under a temporary name that did not exist.
 */
#ifndef PERF_SYMBOL_FILE_CACHE_H
#define PERF_SYMBOL_FILE_CACHE_H

#include <stdbool.h>

#include "util/util.h"
#include "cache_path.h"

/* Default size, in bytes, of all files of entries that perf record made. */
#define FILE_CACHE_SIZE (1ULL << 30)

/**
 * struct file_cache - the open directory
 * @path: path of the directory, for messages
 * @root: descriptor of the directory
 */
struct file_cache {
	char *path;
	int root;
};

/**
 * struct cached_file - a file to be added
 * @path: path of the file on the recorded machine, or "[something]"; names the entry
 * @id: build-id of the file in hexadecimal
 * @kind: "elf", "debug", "vdso" or "kallsyms"
 * @fd: descriptor of the contents, which is not closed
 * @kept: true for an entry that file_cache_trim() may remove
 * @limit: largest size in bytes
 */
struct cached_file {
	const char *path;
	const char *id;
	const char *kind;
	int fd;
	bool kept;
	uint64_t limit;
};

/**
 * file_cache_open() - Open the directory
 * @cache: filled in
 * @create: create the directory if it does not exist
 * @err: set to the reason of a failure
 *
 * Return: 0, or -1 with @err set.
 */
int file_cache_open(struct file_cache *cache, bool create, struct error *err);

/**
 * file_cache_has() - Look for a file
 * @cache: directory
 * @id: build-id in hexadecimal
 * @kind: "elf", "debug", "vdso" or "kallsyms"
 *
 * Return: True if the entry has the file. perf record's note of the entry's last use is set to the
 * current time.
 */
bool file_cache_has(const struct file_cache *cache, const char *id, const char *kind);

/**
 * file_cache_add() - Copy a file into the directory
 * @cache: directory
 * @file: file
 *
 * The build-id of a copied "elf", "debug" or "vdso" is compared with @file->id before the copy gets
 * its name.
 *
 * Return: 0; -EFBIG if the file is larger than its limit, or than a tenth of the free space;
 * -ESTALE if it has another build-id; -EINVAL for a path or build-id that cannot be a name here;
 * another -errno.
 */
int file_cache_add(const struct file_cache *cache, const struct cached_file *file);

void file_cache_close(struct file_cache *cache);

int file_cache_entry(const struct file_cache *cache, const char *id, char **name);
/* Steps of a look-up, which file_cache_clean.c uses, too. */
int file_cache_directory(int parent, const char *name, bool create);
int file_cache_walk(int fd, const char *path, bool create);

#endif
