// SPDX-License-Identifier: GPL-2.0
/*
 * The source lines of one compilation unit by address.
 *
 * libdw decodes the line program and sorts its rows. A row with the same line as the previous row
 * is left out.
 */
#include <stdlib.h>

#include "line_table.h"

/* Read row @i. Return false if it is damaged. */
static bool read_row(struct line_row *row, Dwarf_Lines *lines, size_t i,
		     struct source_files *files)
{
	Dwarf_Line *line = dwarf_onesrcline(lines, i);
	Dwarf_Addr addr;
	bool is_end;
	int number;

	if (!line || dwarf_lineaddr(line, &addr) || dwarf_lineendsequence(line, &is_end) ||
	    dwarf_lineno(line, &number))
		return false;
	*row = (struct line_row){ .addr = addr };
	/* Line 0 is code that the compiler made for no line. */
	if (!is_end && number > 0) {
		row->at.file = source_file_number(files, dwarf_linesrc(line, NULL, NULL));
		row->at.line = row->at.file == NO_SOURCE_FILE ? 0 : number;
	}
	return true;
}

static void add_row(struct line_table *table, const struct line_row *row)
{
	struct line_row *last = table->nr ? &table->rows[table->nr - 1] : NULL;

	if (last && last->at.file == row->at.file && last->at.line == row->at.line)
		return;
	/* The last of several rows for an address counts. */
	if (last && last->addr == row->addr)
		*last = *row;
	else
		table->rows[table->nr++] = *row;
}

void line_table_load(struct line_table *table, Dwarf_Die *unit, struct source_files *files)
{
	struct line_row row;
	Dwarf_Lines *lines;
	size_t i, nr;

	*table = (struct line_table){ 0 };
	if (dwarf_getsrclines(unit, &lines, &nr))
		return;
	table->rows = xcalloc(nr, sizeof(*table->rows));
	for (i = 0; i < nr; i++) {
		if (read_row(&row, lines, i, files))
			add_row(table, &row);
	}
	table->rows = xreallocarray(table->rows, table->nr, sizeof(*table->rows));
}

struct source_line line_table_find(const struct line_table *table, uint64_t addr)
{
	size_t low = 0, high = table->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (table->rows[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? table->rows[low - 1].at : (struct source_line){ 0 };
}

void line_table_free(struct line_table *table)
{
	free(table->rows);
}
