// SPDX-License-Identifier: GPL-2.0
/*
 * Opening of regular files with names from a recording or another user.
 *
 * O_PATH shows the type of a file without opening it. The file is then opened by way of
 * /proc/self/fd, so that it cannot be replaced in between.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "macros.h"
#include "memory.h"
#include "regular_file.h"

/* Magic numbers that <linux/magic.h> does not have. */
#define CONFIGFS_MAGIC	0x62656570
#define FUSECTL_MAGIC	0x65735543

/*
 * Return true if the file is on a pseudo file system. Reading there can block, consume data, or
 * never end.
 */
static bool is_of_kernel(int fd)
{
	static const unsigned int magics[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC,
		SELINUX_MAGIC, SMACK_MAGIC, AAFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC,
		RDTGROUP_SUPER_MAGIC, BPF_FS_MAGIC, PSTOREFS_MAGIC, EFIVARFS_MAGIC, NSFS_MAGIC,
		BINFMTFS_MAGIC, XENFS_SUPER_MAGIC, CONFIGFS_MAGIC, FUSECTL_MAGIC,
	};
	struct statfs st;
	size_t i;

	if (fstatfs(fd, &st))
		return true;
	for (i = 0; i < ARRAY_SIZE(magics); i++) {
		if ((unsigned int)st.f_type == magics[i])
			return true;
	}
	return false;
}

/* Replace @place, a descriptor of O_PATH, by a descriptor that can be read. @place is closed. */
static int open_again(int place, struct stat *st)
{
	char *path = xasprintf("/proc/self/fd/%d", place);
	int fd = -EINVAL;

	if (!fstat(place, st) && S_ISREG(st->st_mode) && !is_of_kernel(place)) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
	}
	free(path);
	close(place);
	return fd;
}

static int open_path(const char *path, int flags)
{
	int place = open(path, O_PATH | O_CLOEXEC | flags);

	return place < 0 ? -errno : place;
}

int open_no_link(const char *path, struct stat *st)
{
	int place = open_path(path, O_NOFOLLOW);

	return place < 0 ? place : open_again(place, st);
}

int open_linked_file(const char *path)
{
	int place = open_path(path, 0);
	struct stat st;

	return place < 0 ? place : open_again(place, &st);
}

int open_regular(const char *path)
{
	int place = open_path(path, O_NOFOLLOW);
	struct stat st;

	if (place < 0)
		return place;
	if (!fstat(place, &st) && S_ISLNK(st.st_mode)) {
		close(place);
		if (st.st_uid && st.st_uid != geteuid())
			return -ELOOP;
		return open_linked_file(path);
	}
	return open_again(place, &st);
}

int open_in_root(int pid, const char *path, struct stat *st)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW, .resolve = RESOLVE_IN_ROOT,
	};
	char *root_path = xasprintf("/proc/%d/root", pid);
	int place, root = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	free(root_path);
	if (root < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	place = syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (place < 0)
		place = -errno;
	close(root);
	return place < 0 ? place : open_again(place, st);
}

const char *open_failure(int status)
{
	switch (status) {
	case -EINVAL:
		return "not a regular file, or on a pseudo file system";
	case -ELOOP:
		return "a symbolic link of another user, which is not followed";
	case -EFBIG:
		return "larger than the budget for a file that another user may change";
	case -ETIMEDOUT:
		return "reading it took too long";
	case -EINTR:
		return "a signal ended the reading";
	case -EBADMSG:
		return "its compressed contents are damaged";
	case -ENOEXEC:
		return "not an ELF file";
	default:
		return strerror(-status);
	}
}
