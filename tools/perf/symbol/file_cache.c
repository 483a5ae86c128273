// SPDX-License-Identifier: GPL-2.0
/* Copies of files by build-id: looking for a file, and adding one. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "elf_file.h"
#include "file_cache.h"

#define LINKS ".build-id"
/* Start of the target of each link. */
#define UP "../../"
/* The longest path of a file that gets an entry. */
#define PATH_LENGTH_MAX (PATH_MAX - 2 * BUILD_ID_TEXT)

/* Return true if @path is no link, or a link of root or the user. */
static bool is_own_link(const char *path)
{
	struct stat st;

	return !lstat(path, &st) &&
	       (!S_ISLNK(st.st_mode) || !st.st_uid || st.st_uid == geteuid());
}

int file_cache_open(struct file_cache *cache, bool create, struct error *err)
{
	cache->path = file_cache_path();
	cache->root = -1;
	if (!cache->path) {
		error_set(err, "there is no place for copies of files: HOME is not set");
		return -1;
	}
	if (create)
		mkdir(cache->path, 0755);
	errno = ELOOP;
	if (is_own_link(cache->path))
		cache->root = open(cache->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cache->root >= 0)
		return 0;
	error_set(err, "%s: %s", cache->path, strerror(errno));
	free(cache->path);
	cache->path = NULL;
	return -1;
}

void file_cache_close(struct file_cache *cache)
{
	if (cache->root >= 0)
		close(cache->root);
	free(cache->path);
}

/*
 * Open a directory in another one, perhaps after creating it. Return: a descriptor, or -errno;
 * -ENOTDIR for a link.
 */
int file_cache_directory(int parent, const char *name, bool create)
{
	int fd;

	if (create && mkdirat(parent, name, 0755) && errno != EEXIST)
		return -errno;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Return true if a part of a path is the name of something in a directory. */
static bool is_name(const char *part)
{
	return *part && strcmp(part, ".") && strcmp(part, "..") && strlen(part) <= NAME_MAX;
}

/* Open the directory @path below @fd, part by part. Return: a descriptor, or -errno. */
int file_cache_walk(int fd, const char *path, bool create)
{
	char *copy = xstrdup(path), *rest = copy, *part;
	int next, at = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	while (at >= 0 && (part = strsep(&rest, "/"))) {
		next = is_name(part) ? file_cache_directory(at, part, create) : -EINVAL;
		close(at);
		at = next;
	}
	free(copy);
	return at;
}

static bool is_id(const char *id)
{
	size_t length = strlen(id);

	return length > 2 && length < BUILD_ID_TEXT && strspn(id, "0123456789abcdef") == length;
}

/* Open the directory of the links for a build-id. Return: a descriptor, or -errno. */
static int open_links(const struct file_cache *cache, const char *id, bool create)
{
	char path[sizeof(LINKS "/xx")];

	if (!is_id(id))
		return -EINVAL;
	snprintf(path, sizeof(path), LINKS "/%.2s", id);
	return file_cache_walk(cache->root, path, create);
}

/**
 * file_cache_entry() - Open the directory of an entry
 * @cache: directory
 * @id: build-id in hexadecimal
 * @name: set to the path of the entry below the directory, without the build-id; the caller frees
 *	it. Or NULL.
 *
 * Return: A descriptor, or -errno.
 */
int file_cache_entry(const struct file_cache *cache, const char *id, char **name)
{
	char target[PATH_MAX], *slash;
	int links = open_links(cache, id, false), fd;
	ssize_t n;

	if (links < 0)
		return links;
	n = readlinkat(links, id + 2, target, sizeof(target) - 1);
	close(links);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	if (strncmp(target, UP, strlen(UP)))
		return -EINVAL;
	fd = file_cache_walk(cache->root, target + strlen(UP), false);
	slash = strrchr(target, '/');
	if (fd >= 0 && name)
		*name = xstrndup(target + strlen(UP), slash > target + strlen(UP) ?
				 slash - target - strlen(UP) : 0);
	return fd;
}

/* Set perf record's note of the last use to the current time. */
static void note_use(int entry, bool create)
{
	int flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (create ? O_CREAT : 0);
	int fd = openat(entry, "used", flags, 0644);

	if (fd < 0)
		return;
	futimens(fd, NULL);
	close(fd);
}

bool file_cache_has(const struct file_cache *cache, const char *id, const char *kind)
{
	int entry = file_cache_entry(cache, id, NULL);
	struct stat st;
	bool has;

	if (entry < 0)
		return false;
	has = !fstatat(entry, kind, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode);
	if (has)
		note_use(entry, false);
	close(entry);
	return has;
}

/* Copy all bytes. Return: 0 or -errno. */
static int copy_bytes(int from, int to, uint64_t size)
{
	const size_t room = 1 << 18;
	char *bytes = xmalloc(room);
	uint64_t at = 0;
	ssize_t n = 0;

	while (at < size) {
		n = foreign_read(from, bytes, size - at < room ? size - at : room, at);
		if (n <= 0)
			break;
		if (pwrite(to, bytes, n, at) != n) {
			n = -EIO;
			break;
		}
		at += n;
	}
	free(bytes);
	return n < 0 ? n : at < size ? -EIO : 0;
}

/* Share the blocks of the file if its file system can, otherwise copy them. Return: 0 or -errno. */
static int copy_file(int from, int to, uint64_t size)
{
	return ioctl(to, FICLONE, from) ? copy_bytes(from, to, size) : 0;
}

/* Return true if the copy of a file has the build-id of its entry. */
static bool has_id(int fd, const char *id)
{
	char text[BUILD_ID_TEXT];
	uint8_t bytes[BUILD_ID_MAX];
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	ssize_t size;

	if (copy < 0)
		return false;
	size = elf_build_id_of(copy, bytes);
	build_id_hex(bytes, size > 0 ? size : 0, text);
	return !strcmp(text, id);
}

/* Return 0 if the file may be copied, otherwise -errno; see file_cache_add(). */
static int check_size(int entry, const struct cached_file *file, struct stat *st)
{
	struct statvfs fs;

	if (fstat(file->fd, st) || fstatvfs(entry, &fs))
		return -errno;
	if (!S_ISREG(st->st_mode))
		return -EINVAL;
	if ((uint64_t)st->st_size > file->limit ||
	    (uint64_t)st->st_size > (uint64_t)fs.f_bavail * fs.f_frsize / 10)
		return -EFBIG;
	return 0;
}

/*
 * Return the permissions of a copy: a user who may not read the file may not read the copy. The
 * addresses of the kernel are for the user who recorded.
 */
static mode_t mode_of(const struct cached_file *file, const struct stat *st)
{
	return strcmp(file->kind, "kallsyms") ? st->st_mode & 0555 : 0400;
}

/* Write a copy of the file into its entry. Return: 0 or -errno. */
static int add_copy(int entry, const struct cached_file *file)
{
	char *part = xasprintf(".part-%d", getpid());
	struct stat st;
	int fd, ret = check_size(entry, file, &st);

	if (ret) {
		free(part);
		return ret;
	}
	fd = openat(entry, part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		ret = -errno;
		free(part);
		return ret;
	}
	ret = copy_file(file->fd, fd, st.st_size);
	if (!ret && strcmp(file->kind, "kallsyms") && !has_id(fd, file->id))
		ret = -ESTALE;
	if (!ret && fchmod(fd, mode_of(file, &st)))
		ret = -errno;
	if (!ret && renameat(entry, part, entry, file->kind))
		ret = -errno;
	if (ret)
		unlinkat(entry, part, 0);
	close(fd);
	free(part);
	return ret;
}

/* Make the link from a build-id to its entry. It replaces a link that leads nowhere. */
static int add_link(const struct file_cache *cache, const struct cached_file *file,
		    const char *name)
{
	int links = open_links(cache, file->id, true), ret = 0;
	char *target, *part;

	if (links < 0)
		return links;
	target = xasprintf(UP "%s/%s", name, file->id);
	part = xasprintf(".part-%d", getpid());
	if (symlinkat(target, links, part) || renameat(links, part, links, file->id + 2)) {
		ret = -errno;
		unlinkat(links, part, 0);
	}
	free(part);
	free(target);
	close(links);
	return ret;
}

int file_cache_add(const struct file_cache *cache, const struct cached_file *file)
{
	const char *name = file->path + strspn(file->path, "/");
	size_t links = strlen(LINKS);
	char *directory;
	int entry, ret;

	if (!is_id(file->id) || strlen(name) > PATH_LENGTH_MAX ||
	    (!strncmp(name, LINKS, links) && (!name[links] || name[links] == '/')))
		return -EINVAL;
	/* A build-id that has an entry under another name gets no second entry. */
	entry = file_cache_entry(cache, file->id, NULL);
	if (entry >= 0) {
		ret = add_copy(entry, file);
		if (!ret)
			note_use(entry, false);
		close(entry);
		return ret;
	}
	directory = xasprintf("%s/%s", name, file->id);
	entry = file_cache_walk(cache->root, directory, true);
	free(directory);
	if (entry < 0)
		return entry;
	ret = add_copy(entry, file);
	if (!ret)
		ret = add_link(cache, file, name);
	if (!ret && file->kept)
		note_use(entry, true);
	close(entry);
	return ret;
}
