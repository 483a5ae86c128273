/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The columns that text takes on a terminal, and texts that are shortened to fit.
 *
 * Widths are those of the current locale. Without setlocale(), every character has one column.
 */
#ifndef PERF_UTIL_TEXT_WIDTH_H
#define PERF_UTIL_TEXT_WIDTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Take over the character set of the environment, for output on a terminal. */
void use_terminal_charset(void);

/* Return true if the terminal shows UTF-8. */
bool terminal_has_utf8(void);

/* Return the columns of a printable character: 0, 1 or 2. */
size_t character_width(uint32_t character);

/**
 * text_width() - measure a text
 * @text: text without control characters; a byte that is not UTF-8 counts as one column
 *
 * Return: the number of columns.
 */
size_t text_width(const char *text);

/**
 * shorten_text() - shorten a text in the middle
 * @text: text without control characters
 * @width: number of columns
 *
 * The start and the end of a name tell more than its middle: the file and the innermost function
 * are there.
 *
 * Return: a copy of the text with at most @width columns, where a mark stands for what is left out;
 * the caller frees the copy.
 */
char *shorten_text(const char *text, size_t width);

#endif
