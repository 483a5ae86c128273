/* SPDX-License-Identifier: GPL-2.0 */
/* Opening of the file that a user names for text output. */
#ifndef PERF_UTIL_OUTPUT_FILE_H
#define PERF_UTIL_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "error.h"

/**
 * open_output_file() - open the file of an option -o for text
 * @path: path of the file; it may be in a directory of another user
 * @append: true to append to the file, false to replace its contents
 * @err: receives the reason of a failure
 *
 * A symbolic link is not followed, and a file with other names (hard links) is not written, because
 * another user may have made it lead to a file of this user. Links below /dev are the system's, and
 * are followed.
 *
 * Return: the stream; NULL with @err set if the file cannot be opened.
 */
FILE *open_output_file(const char *path, bool append, struct error *err);

#endif
