/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers for the paths of source files.
 */
#ifndef PERF_SYMBOL_SOURCE_FILES_H
#define PERF_SYMBOL_SOURCE_FILES_H

#include <stdint.h>

#include "util/util.h"

/* Number that stands for an unknown file. */
#define NO_SOURCE_FILE 0

/**
 * struct source_file - a source file
 * @node: node in the table, by @path
 * @path: path in the debug information; safe to print, interned
 * @name: @path without its directories; interned
 * @number: number of the file
 */
struct source_file {
	struct hash_node node;
	const char *path;
	const char *name;
	uint32_t number;
};

/**
 * struct source_files - the source files of all programs; all zeros: none
 * @strings: paths and names
 * @table: files by path
 * @list: files by number
 * @nr: number of elements of @list; the first one, NO_SOURCE_FILE, is NULL
 * @recent: files that were looked up last, by the address of the path
 */
struct source_files {
	struct intern_table strings;
	struct hash_table table;
	struct source_file **list;
	uint32_t nr;
	struct {
		const char *path;
		uint32_t number;
	} recent[256];
};

/* Return the number of a file. @path may be NULL. */
uint32_t source_file_number(struct source_files *files, const char *path);

/* Forget the addresses of the paths in @files->recent. Call this before the paths are freed. */
void source_files_forget(struct source_files *files);

void source_files_free(struct source_files *files);

#endif
