/* SPDX-License-Identifier: GPL-2.0 */
/* The directory that holds copies of files, named by build-id. */
#ifndef PERF_SYMBOL_CACHE_PATH_H
#define PERF_SYMBOL_CACHE_PATH_H

#include "file/file.h"
#include "util/util.h"

/* Room for a build-id in hexadecimal with its NUL. */
#define BUILD_ID_TEXT (BUILD_ID_MAX * 2 + 1)

/* Use another directory than ~/.debug. @directory must stay valid. */
void file_cache_use(const char *directory);

/* Return the path of the directory, which the caller frees; NULL if $HOME is not set. */
char *file_cache_path(void);

/* Write a build-id in hexadecimal to @text, which has room for BUILD_ID_TEXT characters. */
void build_id_hex(const uint8_t *id, size_t size, char *text);

#endif
