/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the code of a line.
 */
#ifndef PERF_PROBE_LINES_H
#define PERF_PROBE_LINES_H

#include "scopes.h"

/**
 * lines_find() - Find the first instruction of a line
 * @binary: file with debug information
 * @file: path of the source, or its end after a slash
 * @line: line number
 * @within: function to search; NULL: all functions
 * @pc: set to the address in the debug information
 * @err: set to the reason if there is not exactly one place
 *
 * The code of a line is in several places if it was inlined or is in a header.
 *
 * Return: 0, or -1 with @err set.
 */
int lines_find(const struct binary *binary, const char *file, unsigned int line, Dwarf_Die *within,
	       uint64_t *pc, struct error *err);

#endif
