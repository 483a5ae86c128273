/* SPDX-License-Identifier: GPL-2.0 */
/* A grid of cells, one for each column of each line of the terminal. */
#ifndef PERF_BROWSE_GRID_H
#define PERF_BROWSE_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The looks of a cell. The terminal's colours for them are chosen in screen.c. */
enum cell_style {
	STYLE_PLAIN,
	STYLE_TITLE,		/* first and last line, titles of columns */
	STYLE_HOT,		/* percentages of at least 5 */
	STYLE_WARM,		/* percentages of at least 0.5 */
	STYLE_FAINT,		/* frames of chains */
	STYLE_CHOSEN,		/* row of the cursor */
	STYLE_BOX,		/* menu */
	STYLE_BOX_CHOSEN,	/* chosen line of the menu */
};

/* Number of characters without a width that a cell may have after its own character. */
#define CELL_MARKS 2

/**
 * struct cell - a column of a line
 * @character: character; 0 in the second column of a wide one
 * @marks: characters without a width, such as accents, that follow; 0: none
 * @style: look
 */
struct cell {
	uint32_t character;
	uint32_t marks[CELL_MARKS];
	enum cell_style style;
};

/**
 * struct grid - cells
 * @lines: number of lines
 * @columns: number of columns
 * @cells: the cells of the first line, then those of the next one
 */
struct grid {
	size_t lines;
	size_t columns;
	struct cell *cells;
};

/* Set the size of a grid, which may be all zeros, and clear it. */
void grid_resize(struct grid *grid, size_t lines, size_t columns);

/**
 * grid_put() - Write text
 * @grid: grid
 * @line: line
 * @column: first column
 * @width: number of columns that the text may take; more is cut off
 * @style: look
 * @text: text; control characters and bytes that are not UTF-8 are escaped
 *
 * Return: the number of columns that the text has taken.
 */
size_t grid_put(struct grid *grid, size_t line, size_t column, size_t width,
		enum cell_style style, const char *text);

/* Give some columns of a line a look. */
void grid_style(struct grid *grid, size_t line, size_t column, size_t width,
		enum cell_style style);

/* Return a line as text without blanks at its end; the caller frees the text. */
char *grid_text(const struct grid *grid, size_t line);

void grid_free(struct grid *grid);

#endif
