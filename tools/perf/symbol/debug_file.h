/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the debug file of a stripped file.
 */
#ifndef PERF_SYMBOL_DEBUG_FILE_H
#define PERF_SYMBOL_DEBUG_FILE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/**
 * debuginfod_use() - Ask debuginfod servers for files that are not on this machine
 *
 * $DEBUGINFOD_URLS names the servers. By default no server is asked, because the question tells
 * others what was recorded, and may take long.
 */
void debuginfod_use(void);

/**
 * debug_file_use_root() - Look for installed debug files below a directory, too
 * @root: directory that stands for the root of the recorded machine; must stay valid
 */
void debug_file_use_root(const char *root);

/* Return the directory of debug_file_use_root(), or an empty string. */
const char *debug_file_root(void);

/* Return true if the file belongs to root or the user. */
bool debug_file_is_own(int fd);

/* Return true if the file has the build-id @id. */
bool debug_file_has_id(int fd, const void *id, ssize_t size);

/* Return the path of an installed debug file, which need not exist; the caller frees it. */
char *debug_file_by_id(const void *id, size_t size);

/*
 * A find_debuginfo callback of libdwfl. @userdata of the module becomes non-NULL if the debug file
 * does not belong to root or the user. Return: descriptor of the debug file, or -1.
 */
int debug_file_find(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    const char *path, const char *link, GElf_Word crc, char **found);

#endif
