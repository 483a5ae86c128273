/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines that are held until the paths of descriptors in them are known.
 */
#ifndef PERF_TRACE_HELD_LINES_H
#define PERF_TRACE_HELD_LINES_H

#include <stdio.h>

#include "fd_paths.h"

/* Limits of the lines that are held: bytes of text, and paths. */
#define HELD_BYTES_MAX (4 << 20)
#define HELD_PATHS_MAX 65536

/**
 * struct held_path - the place of a path in held lines
 * @offset: offset in the text, in bytes
 * @path: path
 * @name: name of the argument with the descriptor, for a JSON object; NULL: not JSON
 */
struct held_path {
	size_t offset;
	struct fd_path *path;
	const char *name;
};

/**
 * struct held_lines - lines that are held
 * @lines: stream to print lines to
 * @text: text of the lines, without paths
 * @size: size of @text in bytes
 * @paths: paths in the order of their offsets
 * @nr: number of @paths
 */
struct held_lines {
	FILE *lines;
	char *text;
	size_t size;
	struct held_path *paths;
	size_t nr;
};

/* Begin to hold lines. */
void held_lines_open(struct held_lines *held);

/**
 * held_lines_add_path() - Leave room for a path at the current end of the lines
 * @held: lines
 * @path: path
 * @name: name of the argument, as a string that lives as long as @held; NULL: not JSON
 */
void held_lines_add_path(struct held_lines *held, struct fd_path *path, const char *name);

/* Return true if the limits are reached. */
bool held_lines_are_full(const struct held_lines *held);

/**
 * held_lines_release() - Print lines and remove them
 * @held: lines
 * @out: stream to print to
 * @all: true to print all lines, and only the paths that are known; false to print the lines before
 *	the first one with a pending path
 */
void held_lines_release(struct held_lines *held, FILE *out, bool all);

/* Print the lines without paths. */
void held_lines_forget_paths(struct held_lines *held);

void held_lines_close(struct held_lines *held);

#endif
