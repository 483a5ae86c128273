/* SPDX-License-Identifier: GPL-2.0 */
/* Files that are read as a whole. */
#ifndef PERF_UTIL_TEXT_FILE_H
#define PERF_UTIL_TEXT_FILE_H

#include <stddef.h>

/*
 * Read a small text file (/proc, /sys), NUL-terminated. Return: the text, or NULL with errno
 * set.
 */
char *read_text_file(const char *path, size_t *size);

#endif
