/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The source line and the inlined functions at an address, from the debug information of the
 * file.
 */
#ifndef PERF_SYMBOL_SOURCE_H
#define PERF_SYMBOL_SOURCE_H

#include "dso_set.h"
#include "location.h"

/* Maximum number of inlined functions at one address that are found. */
#define INLINED_MAX 256

/* Show source files with the paths that the debug information has. */
void source_show_paths(void);

/* Return the name of a source file to show. Equal names are one pointer. */
const char *source_file_text(const struct source_file *file);

/**
 * location_line() - Find the source line of a location
 * @at: location whose function has been looked up
 * @file: set to the source file, which lives as long as the set of dsos
 *
 * Return: The number of the line; 0 if it is unknown.
 */
uint32_t location_line(const struct location *at, const struct source_file **file);

/* Like location_line(), but source_complain() does not warn of the file. */
uint32_t location_line_quietly(const struct location *at, const struct source_file **file);

/* Return the number of a source line, such that equal texts of location_line_text() are equal. */
uint64_t location_line_key(const struct location *at);

/*
 * Return "FILE:LINE"; if the line is unknown, "FUNCTION+OFFSET"; if the function is unknown, too,
 * "DSO[ADDRESS]". The caller frees the text.
 */
char *location_line_text(const struct location *at);

/**
 * location_inlined() - Find the functions that are inlined at a location
 * @at: location with its function in the symbol table; its depth becomes their number
 * @inner: set to their locations, the innermost first
 *
 * Return: Their number.
 */
size_t location_inlined(struct location *at, struct location inner[INLINED_MAX]);

/* Warn the user of files without source lines or inlined functions that were looked up. */
void source_complain(const struct dso_set *set);

#endif
