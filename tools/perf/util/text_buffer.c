// SPDX-License-Identifier: GPL-2.0
/* A text that grows. */
#include <stdlib.h>

#include "memory.h"
#include "text_buffer.h"

/* More than the digits of a 64-bit number in base 10, and a sign. */
#define DIGITS_MAX 24

void text_buffer_grow(struct text_buffer *text, size_t size)
{
	text->room = 2 * text->room + size;
	text->bytes = xrealloc(text->bytes, text->room);
}

void text_buffer_add_chars(struct text_buffer *text, char c, size_t nr)
{
	/* An empty text has no memory, which memset() needs. */
	if (!nr)
		return;
	memset(text_buffer_reserve(text, nr), c, nr);
	text->nr += nr;
}

/* Add @nr digits, with @pad before them up to @width characters. */
static void add_digits(struct text_buffer *text, const char *first, size_t nr, unsigned int width,
		       char pad)
{
	text_buffer_add_chars(text, pad, width > nr ? width - nr : 0);
	text_buffer_add_bytes(text, first, nr);
}

void text_buffer_add_hex(struct text_buffer *text, uint64_t value, unsigned int width)
{
	char digits[DIGITS_MAX], *first = digits + DIGITS_MAX;

	do {
		*--first = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	add_digits(text, first, digits + DIGITS_MAX - first, width, ' ');
}

void text_buffer_add_number(struct text_buffer *text, int64_t value, unsigned int width, char pad)
{
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char digits[DIGITS_MAX], *first = digits + DIGITS_MAX;

	do {
		*--first = '0' + rest % 10;
		rest /= 10;
	} while (rest);
	if (value < 0)
		*--first = '-';
	add_digits(text, first, digits + DIGITS_MAX - first, width, pad);
}

void text_buffer_print(struct text_buffer *text, FILE *out)
{
	fwrite(text->bytes, 1, text->nr, out);
	text->nr = 0;
}

void text_buffer_free(struct text_buffer *text)
{
	free(text->bytes);
}
