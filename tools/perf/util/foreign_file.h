/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading of files that another user may have made, and may change at any time.
 *
 * Such a file is never mapped: its owner could cut it off, and the next access to the mapping would
 * be a SIGBUS. It is read with pread(), up to a budget of bytes and of time. A signal that waits
 * ends the reading.
 */
#ifndef PERF_UTIL_FOREIGN_FILE_H
#define PERF_UTIL_FOREIGN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Budget of a file that another user may change, in bytes. */
#define FOREIGN_SIZE_MAX	(1ULL << 30)
/* A file of root or the user that is larger, in bytes, is not copied, but read where it is. */
#define OWN_COPY_MAX		(64ULL << 20)
/* Budget of time for reading one file, in seconds. */
#define FOREIGN_SECONDS_MAX	20

/*
 * Return true if a signal that ends the program is pending: SIGINT, SIGTERM or SIGHUP. While a
 * measurement is watched, these signals are blocked.
 */
bool foreign_is_ended(void);

/**
 * foreign_read() - read a part of a file
 * @fd: descriptor of the file
 * @bytes: set to the part
 * @size: size of the part in bytes
 * @offset: offset of the part in bytes
 *
 * Return: The number of bytes that were read, less than @size if the file ends before; -ETIMEDOUT
 *   if reading took longer than FOREIGN_SECONDS_MAX; -EINTR if SIGINT, SIGTERM or SIGHUP waits;
 *   another -errno.
 */
ssize_t foreign_read(int fd, void *bytes, size_t size, uint64_t offset);

/**
 * foreign_text() - read a regular file as a whole
 * @path: path of the file; opened as open_regular() does
 * @max: maximum size in bytes
 * @size: set to the size without the NUL that is appended; or NULL
 *
 * Return: The contents, which the caller frees; NULL with errno set, EFBIG if the file is larger
 *   than @max.
 */
char *foreign_text(const char *path, size_t max, size_t *size);

/**
 * foreign_freeze() - get a descriptor of contents that no other user can change
 * @fd: descriptor of a regular file; closed if another one is returned, and on failure
 *
 * A file that only root or the user can change is returned as it is if it is larger than
 * OWN_COPY_MAX. Any other file is copied to memory.
 *
 * Return: A close-on-exec descriptor; -EFBIG if the file is larger than FOREIGN_SIZE_MAX; otherwise
 *   a value of foreign_read().
 */
int foreign_freeze(int fd);

/* Return true if foreign_freeze() copied the contents of @fd, so that they can be written to. */
bool foreign_is_copy(int fd);

#endif
