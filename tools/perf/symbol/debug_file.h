/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the symbols of a stripped file are.
 */
#ifndef PERF_SYMBOL_DEBUG_FILE_H
#define PERF_SYMBOL_DEBUG_FILE_H

#include <elfutils/libdwfl.h>

/**
 * debuginfod_use() - from now on ask debuginfod for what is not on this machine
 *
 * The servers are those of $DEBUGINFOD_URLS. Without this, none is asked: it tells others
 * what was recorded, and can take long.
 */
void debuginfod_use(void);

/**
 * debug_file_use_root() - look below a directory for what packages install, too
 * @root: what stands for the root of the machine that was recorded; kept
 */
void debug_file_use_root(const char *root);

/* The callback of libdwfl; the answer is a descriptor of the file, or -1. */
int debug_file_find(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    const char *path, const char *link, GElf_Word crc, char **found);

#endif
