// SPDX-License-Identifier: GPL-2.0
/* A grid of cells, one for each column of each line of the terminal. */
#include <stdio.h>
#include <stdlib.h>

#include "util/util.h"
#include "grid.h"

/* The first character that is not ASCII. */
#define BEYOND_ASCII 0x80

void grid_resize(struct grid *grid, size_t lines, size_t columns)
{
	size_t i;

	grid->cells = xreallocarray(grid->cells, lines * columns + 1, sizeof(*grid->cells));
	grid->lines = lines;
	grid->columns = columns;
	for (i = 0; i < lines * columns; i++)
		grid->cells[i] = (struct cell){ .character = ' ' };
}

static struct cell *cell_at(struct grid *grid, size_t line, size_t column)
{
	return &grid->cells[line * grid->columns + column];
}

static void put_mark(struct cell *cell, uint32_t mark)
{
	size_t i;

	for (i = 0; i < CELL_MARKS; i++) {
		if (!cell->marks[i]) {
			cell->marks[i] = mark;
			return;
		}
	}
}

/* Write a character of the text. Return: its columns; SIZE_MAX if there is no room for it. */
static size_t put_character(struct grid *grid, size_t line, size_t column, size_t room,
			    enum cell_style style, uint32_t c)
{
	size_t width = character_width(c);
	struct cell *cell;

	if (width > room)
		return SIZE_MAX;
	if (width)
		*cell_at(grid, line, column) = (struct cell){ .character = c, .style = style };
	if (width == 2)
		*cell_at(grid, line, column + 1) = (struct cell){ .style = style };
	if (!width && column) {
		cell = cell_at(grid, line, column - 1);
		if (!cell->character && column > 1)
			cell--;
		put_mark(cell, c);
	}
	return width;
}

/* Format the escape of @nr bytes that the terminal must not get. */
static void escape(char *out, const unsigned char *bytes, size_t nr)
{
	while (nr--)
		out += sprintf(out, "\\x%02x", *bytes++);
}

size_t grid_put(struct grid *grid, size_t line, size_t column, size_t width,
		enum cell_style style, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	bool utf8 = terminal_has_utf8();
	size_t start = column, end;

	if (line >= grid->lines || column >= grid->columns)
		return 0;
	end = width < grid->columns - column ? column + width : grid->columns;
	while (*s) {
		uint32_t c;
		/* No multi-byte character contains a NUL, so none reaches beyond the end. */
		size_t bytes = utf8_decode(s, SIZE_MAX, &c), taken;
		char escaped[20];
		const char *e;

		if (bytes && !is_control_character(c) && (utf8 || c < BEYOND_ASCII)) {
			taken = put_character(grid, line, column, end - column, style, c);
			if (taken == SIZE_MAX)
				break;
			column += taken;
		} else {
			escape(escaped, s, bytes ?: 1);
			for (e = escaped; *e && column < end; e++)
				put_character(grid, line, column++, 1, style, *e);
		}
		s += bytes ?: 1;
	}
	return column - start;
}

void grid_style(struct grid *grid, size_t line, size_t column, size_t width,
		enum cell_style style)
{
	if (line >= grid->lines)
		return;
	for (; width && column < grid->columns; width--, column++)
		cell_at(grid, line, column)->style = style;
}

static void fput_utf8(FILE *out, uint32_t c)
{
	if (c < 0x80) {
		fputc(c, out);
		return;
	}
	if (c >= 0x10000) {
		fputc(0xf0 | c >> 18, out);
		fputc(0x80 | (c >> 12 & 0x3f), out);
	} else if (c >= 0x800) {
		fputc(0xe0 | c >> 12, out);
	}
	fputc(c >= 0x800 ? 0x80 | (c >> 6 & 0x3f) : 0xc0 | c >> 6, out);
	fputc(0x80 | (c & 0x3f), out);
}

char *grid_text(const struct grid *grid, size_t line)
{
	const struct cell *cells = &grid->cells[line * grid->columns];
	size_t end = grid->columns, i, mark, size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die("out of memory");
	while (end && cells[end - 1].character == ' ')
		end--;
	for (i = 0; i < end; i++) {
		if (cells[i].character)
			fput_utf8(out, cells[i].character);
		for (mark = 0; mark < CELL_MARKS && cells[i].marks[mark]; mark++)
			fput_utf8(out, cells[i].marks[mark]);
	}
	fclose(out);
	return text;
}

void grid_free(struct grid *grid)
{
	free(grid->cells);
	*grid = (struct grid){ 0 };
}
