/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists the lines of a source, with the number of each line that has a place.
 */
#ifndef PERF_PROBE_LISTING_H
#define PERF_PROBE_LISTING_H

#include <stdio.h>

#include "binary.h"

/**
 * struct line_range - the lines to list
 * @function: function, or NULL for a file
 * @file: end of the path of the source; NULL: the one of the function
 * @first: number of the first line, from 1 in a file, from 0 in a function
 * @last: number of the last line; UINT_MAX: the last one of the function or file
 * @is_whole: true if the text has no numbers
 */
struct line_range {
	char *function;
	char *file;
	unsigned int first;
	unsigned int last;
	bool is_whole;
};

/**
 * line_range_parse() - Parse FUNCTION[@FILE][:LINES] or FILE[:LINES]
 * @range: filled in; the caller frees it with line_range_free(), also after an error
 * @text: text; LINES is FIRST, FIRST+NUMBER or FIRST-LAST
 * @err: set to the reason if the text is refused
 *
 * Return: 0, or -1 with @err set.
 */
int line_range_parse(struct line_range *range, const char *text, struct error *err);
void line_range_free(struct line_range *range);

/**
 * listing_print() - Print the lines of a range as the kernel's perf does
 * @out: stream to print to
 * @binary: program, library or vmlinux
 * @range: lines to list
 * @prefix: directory that is put before the path of the source, or NULL
 * @err: set to the reason if the lines cannot be listed
 *
 * A line has its number if place_find() finds it: relative to the function if the range has one.
 *
 * Return: 0, or -1 with @err set.
 */
int listing_print(FILE *out, const struct binary *binary, const struct line_range *range,
		  const char *prefix, struct error *err);

#endif
