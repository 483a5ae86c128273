/* SPDX-License-Identifier: GPL-2.0 */
/* Copies of files by build-id: lists them and removes them. */
#ifndef PERF_SYMBOL_FILE_CACHE_CLEAN_H
#define PERF_SYMBOL_FILE_CACHE_CLEAN_H

#include "file_cache.h"

/**
 * struct cache_entry - the files of one build-id
 * @id: build-id in hexadecimal
 * @path: path of the file on the recorded machine, or "[something]"
 * @size: size of all files in bytes
 * @used: time when perf record last used the entry, in ns; 0: perf record did not make it
 */
struct cache_entry {
	char id[BUILD_ID_TEXT];
	char *path;
	uint64_t size;
	uint64_t used;
};

/**
 * file_cache_list() - List all entries
 * @cache: directory
 * @nr: set to the number of entries
 *
 * Return: The entries in the order of their build-ids; file_cache_free_list() frees them.
 */
struct cache_entry *file_cache_list(const struct file_cache *cache, size_t *nr);

void file_cache_free_list(struct cache_entry *entries, size_t nr);

/* Remove an entry, and the directories that become empty. Return: 0 or -errno. */
int file_cache_remove(const struct file_cache *cache, const char *id);

/*
 * Remove entries that perf record made, the oldest use first, until the other entries have at most
 * @limit bytes together.
 */
void file_cache_trim(const struct file_cache *cache, uint64_t limit);

#endif
