/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The source lines of one compilation unit by address.
 */
#ifndef PERF_SYMBOL_LINE_TABLE_H
#define PERF_SYMBOL_LINE_TABLE_H

#include <elfutils/libdw.h>

#include "source_files.h"

/* A place in a source; @line is 0 if it is unknown. */
struct source_line {
	uint32_t file;			/* see source_file_number() */
	uint32_t line;
};

/* The code from @addr to the next row comes from @at. */
struct line_row {
	uint64_t addr;
	struct source_line at;
};

/* The rows by address. */
struct line_table {
	struct line_row *rows;
	size_t nr;
};

/**
 * line_table_load() - Read the lines of a unit
 * @table: filled in; empty if the unit has no lines, or damaged ones
 * @unit: compilation unit
 * @files: gets the unit's source files
 */
void line_table_load(struct line_table *table, Dwarf_Die *unit, struct source_files *files);

/* Return the line of the code at @addr; its line is 0 if it is unknown. */
struct source_line line_table_find(const struct line_table *table, uint64_t addr);

void line_table_free(struct line_table *table);

#endif
