/* SPDX-License-Identifier: GPL-2.0 */
/* Opening of regular files with names from a recording or another user. */
#ifndef PERF_UTIL_REGULAR_FILE_H
#define PERF_UTIL_REGULAR_FILE_H

#include <sys/stat.h>

/**
 * open_regular() - open a file that a recording names
 * @path: path of the file; may lead to a device, a fifo or a file of /proc
 *
 * Only regular files on real file systems are opened, as opening other files can have side
 * effects. A symbolic link is followed if it belongs to root or the user.
 *
 * Return: a close-on-exec descriptor; -EINVAL if @path is not such a file; -ELOOP if it is a
 *   link of another user; another -errno.
 */
int open_regular(const char *path);

/* Open a file as open_regular() does, but follow no link. @st receives the status of the file. */
int open_no_link(const char *path, struct stat *st);

/*
 * Open a file as open_regular() does, but follow every link: @path is a link of the kernel, as in
 * /proc/PID.
 */
int open_linked_file(const char *path);

/*
 * Open a file as open_no_link() does, below the root directory of a process: links in @path, which
 * may be those of a container, lead to files below that directory. -ESRCH: the process has exited.
 */
int open_in_root(int pid, const char *path, struct stat *st);

/* Describe the failure of one of these functions; @status is the value that it returned. */
const char *open_failure(int status);

#endif
