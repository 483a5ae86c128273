/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the code of lines.
 */
#ifndef PERF_PROBE_LINES_H
#define PERF_PROBE_LINES_H

#include "scopes.h"

/**
 * struct line_place - the place where the code of a line begins; all zeros: no code
 * @pc: lowest address in the debug information
 * @function: offset of the innermost function in the debug information; it may be inlined
 * @source: path of the source
 * @found: the line has code
 * @several: the code is in several functions or files, so that there is no one place
 */
struct line_place {
	Dwarf_Addr pc;
	Dwarf_Off function;
	const char *source;
	bool found;
	bool several;
};

/**
 * struct statement - a statement that begins at an address
 * @unit: compilation unit
 * @source: path of the source
 * @line: number of the line
 * @pc: address in the debug information
 * @at_entry: the function that is entered there is declared in another line
 */
struct statement {
	Dwarf_Die *unit;
	const char *source;
	unsigned int line;
	Dwarf_Addr pc;
	bool at_entry;
};

/* Return true if @file is equal to @source, or to the end of @source after a slash. */
bool lines_is_end_of_path(const char *source, const char *file);

/*
 * Note that a line has code at @at. Code of the function @own itself comes before code of functions
 * that are inlined into it; @own may be NULL.
 */
void line_place_add(struct line_place *place, const struct statement *at, Dwarf_Die *own);

/**
 * lines_walk() - Visit the statements of a source file
 * @binary: file with debug information
 * @file: path of the source, or its end after a slash
 * @within: function to search; NULL: all functions
 * @visit: called for each statement, and with the line of the declaration for the entry of each
 *	function
 * @context: argument of @visit
 *
 * Return: true if the file has a statement, in any function.
 */
bool lines_walk(const struct binary *binary, const char *file, Dwarf_Die *within,
		void (*visit)(void *context, const struct statement *at), void *context);

/* Say that no code is of the source @file. */
void lines_refuse_file(const struct binary *binary, const char *file, struct error *err);

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
