/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opening files whose names somebody else has chosen.
 */
#ifndef PERF_UTIL_REGULAR_FILE_H
#define PERF_UTIL_REGULAR_FILE_H

#include <sys/stat.h>

/**
 * open_regular() - open a file to read, whose name a recording has
 * @path: its name; it may lead to a device, a fifo or a file of /proc, too
 *
 * What is no regular file on a real file system is not even opened, as that can have
 * consequences. A link is followed if it is root's or the user's.
 *
 * Return: a close-on-exec descriptor; -EINVAL if it is no such file, -ELOOP if it is a link
 * of somebody else; another -errno.
 */
int open_regular(const char *path);

/* The same, but no link is followed; @st says whose file it is. */
int open_no_link(const char *path, struct stat *st);

/* The same, but every link is followed: @path is a link of the kernel's, as in /proc/PID. */
int open_linked_file(const char *path);

/* Why one of them failed, in words; @status is what it returned. */
const char *open_failure(int status);

#endif
