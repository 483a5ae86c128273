// SPDX-License-Identifier: GPL-2.0
/* Reading of files that another user may have made, and may change at any time. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "foreign_file.h"
#include "memory.h"
#include "regular_file.h"

/* Size in bytes of one pread(). The deadline and waiting signals are looked at before each. */
#define PIECE (256 << 10)

bool foreign_is_ended(void)
{
	sigset_t set;

	return !sigpending(&set) && (sigismember(&set, SIGINT) > 0 ||
				     sigismember(&set, SIGTERM) > 0 ||
				     sigismember(&set, SIGHUP) > 0);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Read as foreign_read() does, until the time @deadline in seconds. */
static ssize_t read_until(int fd, void *bytes, size_t size, uint64_t offset, double deadline)
{
	size_t got = 0, piece;
	ssize_t n;

	while (got < size) {
		if (foreign_is_ended())
			return -EINTR;
		if (now() > deadline)
			return -ETIMEDOUT;
		piece = size - got < PIECE ? size - got : PIECE;
		n = pread(fd, (char *)bytes + got, piece, offset + got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		got += n;
	}
	return got;
}

ssize_t foreign_read(int fd, void *bytes, size_t size, uint64_t offset)
{
	return read_until(fd, bytes, size, offset, now() + FOREIGN_SECONDS_MAX);
}

/* Read a whole file of at most @max bytes. Return: 0 or -errno. */
static int read_all(int fd, size_t max, char **text, size_t *size)
{
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if ((uint64_t)st.st_size > max)
		return -EFBIG;
	*text = xmalloc(st.st_size + 1);
	n = foreign_read(fd, *text, st.st_size, 0);
	if (n < 0) {
		free(*text);
		return n;
	}
	(*text)[n] = '\0';
	*size = n;
	return 0;
}

char *foreign_text(const char *path, size_t max, size_t *size)
{
	int fd = open_regular(path), ret;
	char *text = NULL;
	size_t got = 0;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	ret = read_all(fd, max, &text, &got);
	close(fd);
	if (ret) {
		errno = -ret;
		return NULL;
	}
	if (size)
		*size = got;
	return text;
}

/*
 * Return true if only root or the user can change the file. In a FUSE file system, the program that
 * serves it chooses the owner of a file.
 */
static bool is_own(int fd, const struct stat *st)
{
	struct statfs fs;

	return (!st->st_uid || st->st_uid == geteuid()) && !(st->st_mode & (022)) &&
	       !fstatfs(fd, &fs) && (unsigned int)fs.f_type != FUSE_SUPER_MAGIC;
}

static int write_all(int fd, const char *bytes, size_t size, uint64_t offset)
{
	ssize_t n;

	while (size) {
		n = pwrite(fd, bytes, size, offset);
		if (n < 0)
			return -errno;
		bytes += n;
		size -= n;
		offset += n;
	}
	return 0;
}

/* Copy @size bytes of @fd to @copy. Return: 0 or -errno. */
static int copy_contents(int fd, int copy, uint64_t size)
{
	double deadline = now() + FOREIGN_SECONDS_MAX;
	char *piece = xmalloc(PIECE);
	uint64_t at = 0;
	ssize_t n = 1;
	int ret = 0;

	while (at < size && n > 0 && !ret) {
		n = size - at < PIECE ? size - at : PIECE;
		n = read_until(fd, piece, n, at, deadline);
		ret = n < 0 ? n : write_all(copy, piece, n, at);
		at += n;
	}
	free(piece);
	return ret;
}

static int copy_of(int fd, uint64_t size)
{
	int ret, copy = memfd_create("copy", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (copy < 0)
		return -errno;
	ret = copy_contents(fd, copy, size);
	if (!ret && fcntl(copy, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW))
		ret = -errno;
	if (ret) {
		close(copy);
		return ret;
	}
	return copy;
}

int foreign_freeze(int fd)
{
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		ret = -errno;
	else if (foreign_is_copy(fd) || (is_own(fd, &st) && st.st_size > (off_t)OWN_COPY_MAX))
		return fd;
	else if ((uint64_t)st.st_size > FOREIGN_SIZE_MAX)
		ret = -EFBIG;
	else
		ret = copy_of(fd, st.st_size);
	close(fd);
	return ret;
}

bool foreign_is_copy(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	/* A sealed file of another process has been opened for reading only. */
	return seals >= 0 && (seals & F_SEAL_SHRINK) &&
	       (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
}
