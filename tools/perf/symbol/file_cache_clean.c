// SPDX-License-Identifier: GPL-2.0
/* Copies of files by build-id: lists them and removes them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_cache_clean.h"

/* Maximum number of entries that are listed. */
#define ENTRIES_MAX 1000000

/* Open a directory to read its names. @fd is not closed. Return: NULL if that is impossible. */
static DIR *open_names(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = copy >= 0 ? fdopendir(copy) : NULL;

	if (copy >= 0 && !directory)
		close(copy);
	return directory;
}

/* Add up the sizes of the files of an entry, and find its last use. */
static void measure(int fd, struct cache_entry *entry)
{
	DIR *directory = open_names(fd);
	struct dirent *name;
	struct stat st;

	while (directory && (name = readdir(directory))) {
		if (fstatat(fd, name->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		entry->size += st.st_size;
		if (!strcmp(name->d_name, "used"))
			entry->used = st.st_mtim.tv_sec * 1000000000ULL + st.st_mtim.tv_nsec;
	}
	if (directory)
		closedir(directory);
}

/* Fill in an entry. Return: true if the link of its build-id leads to one. */
static bool get_entry(const struct file_cache *cache, const char *first, const char *rest,
		      struct cache_entry *entry)
{
	char *name;
	int fd;

	memset(entry, 0, sizeof(*entry));
	if (snprintf(entry->id, sizeof(entry->id), "%.2s%s", first, rest) >=
	    (int)sizeof(entry->id))
		return false;
	fd = file_cache_entry(cache, entry->id, &name);
	if (fd < 0)
		return false;
	measure(fd, entry);
	close(fd);
	entry->path = *name == '[' ? xstrdup(name) : xasprintf("/%s", name);
	free(name);
	return true;
}

struct entry_list {
	struct cache_entry *entries;
	size_t nr;
	size_t room;
};

static void list_links(const struct file_cache *cache, int links, const char *first,
		       struct entry_list *list)
{
	int fd = file_cache_directory(links, first, false);
	DIR *directory = fd >= 0 ? open_names(fd) : NULL;
	struct cache_entry entry;
	struct dirent *name;

	while (directory && list->nr < ENTRIES_MAX && (name = readdir(directory))) {
		if (!get_entry(cache, first, name->d_name, &entry))
			continue;
		if (list->nr == list->room) {
			list->room = list->room ? list->room * 2 : 64;
			list->entries = xreallocarray(list->entries, list->room,
						      sizeof(*list->entries));
		}
		list->entries[list->nr++] = entry;
	}
	if (directory)
		closedir(directory);
	if (fd >= 0)
		close(fd);
}

static int compare_ids(const void *a, const void *b)
{
	return strcmp(((const struct cache_entry *)a)->id, ((const struct cache_entry *)b)->id);
}

struct cache_entry *file_cache_list(const struct file_cache *cache, size_t *nr)
{
	int links = file_cache_directory(cache->root, ".build-id", false);
	DIR *directory = links >= 0 ? open_names(links) : NULL;
	struct entry_list list = { 0 };
	struct dirent *name;

	while (directory && (name = readdir(directory))) {
		if (strlen(name->d_name) == 2 && name->d_name[0] != '.')
			list_links(cache, links, name->d_name, &list);
	}
	if (directory)
		closedir(directory);
	if (links >= 0)
		close(links);
	if (list.nr)
		qsort(list.entries, list.nr, sizeof(*list.entries), compare_ids);
	*nr = list.nr;
	return list.entries;
}

void file_cache_free_list(struct cache_entry *entries, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		free(entries[i].path);
	free(entries);
}

/* Remove the files of an entry; a directory in it stays. */
static void remove_files(int fd)
{
	DIR *directory = open_names(fd);
	struct dirent *name;

	while (directory && (name = readdir(directory)))
		unlinkat(fd, name->d_name, 0);
	if (directory)
		closedir(directory);
}

/* Remove the directory @path below @root, and those above it that are empty then. */
static void remove_directories(int root, char *path)
{
	char *slash;
	int parent;

	while ((slash = strrchr(path, '/'))) {
		*slash = '\0';
		parent = file_cache_walk(root, path, false);
		if (parent < 0)
			return;
		if (unlinkat(parent, slash + 1, AT_REMOVEDIR)) {
			close(parent);
			return;
		}
		close(parent);
	}
	unlinkat(root, path, AT_REMOVEDIR);
}

int file_cache_remove(const struct file_cache *cache, const char *id)
{
	char *name, *path, first[sizeof("xx")];
	int links, fd = file_cache_entry(cache, id, &name);

	if (fd < 0)
		return fd;
	remove_files(fd);
	close(fd);
	path = xasprintf("%s/%s", name, id);
	remove_directories(cache->root, path);
	free(path);
	free(name);
	links = file_cache_directory(cache->root, ".build-id", false);
	if (links < 0)
		return links;
	snprintf(first, sizeof(first), "%.2s", id);
	fd = file_cache_directory(links, first, false);
	if (fd >= 0) {
		unlinkat(fd, id + 2, 0);
		close(fd);
		unlinkat(links, first, AT_REMOVEDIR);
	}
	close(links);
	return 0;
}

static int compare_use(const void *a, const void *b)
{
	const struct cache_entry *x = a, *y = b;

	return x->used < y->used ? -1 : x->used > y->used;
}

void file_cache_trim(const struct file_cache *cache, uint64_t limit)
{
	struct cache_entry *entries;
	uint64_t size = 0;
	size_t i, nr;

	entries = file_cache_list(cache, &nr);
	for (i = 0; i < nr; i++)
		size += entries[i].used ? entries[i].size : 0;
	if (nr)
		qsort(entries, nr, sizeof(*entries), compare_use);
	for (i = 0; i < nr && size > limit; i++) {
		if (!entries[i].used)
			continue;
		if (!file_cache_remove(cache, entries[i].id))
			size -= entries[i].size;
	}
	file_cache_free_list(entries, nr);
}
