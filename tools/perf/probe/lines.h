/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the code of a line is.
 */
#ifndef PERF_PROBE_LINES_H
#define PERF_PROBE_LINES_H

#include "scopes.h"

/**
 * lines_find() - the first instruction of a line
 * @binary: the file with its debug information
 * @file: the source, or the end of its path from a '/' on
 * @line: the number of the line
 * @within: only what is in this function; NULL: everywhere
 * @pc: gets the address, as the debug information has it
 * @err: why it failed
 *
 * A line whose code is in several places, as it was inlined or is in a header, is refused.
 *
 * Return: 0, or -1 with @err set.
 */
int lines_find(const struct binary *binary, const char *file, unsigned int line, Dwarf_Die *within,
	       uint64_t *pc, struct error *err);

#endif
