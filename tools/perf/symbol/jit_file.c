// SPDX-License-Identifier: GPL-2.0
/*
 * Opens files in which programs describe the code that they generate.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jit_file.h"

/* Return true if @uid is the user of a process. */
static bool is_user_of(int pid, uid_t uid)
{
	char *directory = xasprintf("/proc/%d", pid);
	struct stat st;
	bool same = !stat(directory, &st) && st.st_uid == uid;

	free(directory);
	return same;
}

/* Return true if @uid is the user of the process whose number is in the file's name. */
static bool is_user_of_process(const char *path, uid_t uid)
{
	const char *dash = strrchr(path, '-');

	return is_user_of(dash ? atoi(dash + 1) : 0, uid);
}

int jit_file_open_of(uint32_t pid, const char *path, struct stat *st)
{
	int fd = open_in_root(pid, path, st);

	if (fd < 0)
		return -1;
	if (!st->st_uid || st->st_uid == geteuid() || is_user_of(pid, st->st_uid))
		return fd;
	close(fd);
	return -1;
}

int jit_file_open(const char *path, struct stat *st, struct error *err)
{
	int fd = open_no_link(path, st);

	if (fd < 0) {
		error_set(err, "%s: cannot read it: %s", path, open_failure(fd));
		return fd;
	}
	if (!st->st_uid || st->st_uid == geteuid() || is_user_of_process(path, st->st_uid))
		return fd;
	close(fd);
	error_set(err,
		  "%s: its owner, user %u, is neither root nor you nor the user of the process; use 'chown'",
		  path, st->st_uid);
	return -EACCES;
}
