/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of source files.
 */
#ifndef PERF_ANNOTATE_SOURCE_TEXT_H
#define PERF_ANNOTATE_SOURCE_TEXT_H

#include "symbol/symbol.h"

/**
 * struct source_texts - source files that have been read; all zeros: none
 * @files: files by the path in the debug information
 * @size: sum of the sizes of the files in bytes
 * @root: directory that stands for the root of the recorded machine, or NULL
 * @prefix: directory that is put before paths, or NULL
 * @strip: number of leading directories of paths that @prefix replaces
 */
struct source_texts {
	struct hash_table files;
	uint64_t size;
	const char *root;
	const char *prefix;
	unsigned int strip;
};

/**
 * source_text_line() - Find a line of a source file
 * @texts: files that have been read; gets the file
 * @file: source file
 * @line: number of the line, from 1
 * @built: time in seconds when the program was built; 0: unknown
 *
 * A file that cannot be read, or was changed after the program was built, is noted once.
 *
 * Return: The text without indentation, safe to print, which the caller frees; NULL if there is
 * none.
 */
char *source_text_line(struct source_texts *texts, const struct source_file *file, uint32_t line,
		       int64_t built);

void source_texts_free(struct source_texts *texts);

#endif
