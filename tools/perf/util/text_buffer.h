/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A text that grows, for output that is printed millions of times: printf() needs several times as
 * many instructions to put a number or a name into a line.
 */
#ifndef PERF_UTIL_TEXT_BUFFER_H
#define PERF_UTIL_TEXT_BUFFER_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/**
 * struct text_buffer - a text; all zeros: an empty one
 * @bytes: memory of the text, without a NUL
 * @nr: number of bytes in the text
 * @room: size of the memory
 */
struct text_buffer {
	char *bytes;
	size_t nr;
	size_t room;
};

/* Make the memory larger by at least @size bytes. */
void text_buffer_grow(struct text_buffer *text, size_t size);

/* Make room for @size more bytes. Return the end of the text. */
static inline char *text_buffer_reserve(struct text_buffer *text, size_t size)
{
	if (text->room - text->nr < size)
		text_buffer_grow(text, size);
	return text->bytes + text->nr;
}

static inline void text_buffer_add_bytes(struct text_buffer *text, const char *bytes, size_t size)
{
	memcpy(text_buffer_reserve(text, size), bytes, size);
	text->nr += size;
}

static inline void text_buffer_add(struct text_buffer *text, const char *string)
{
	text_buffer_add_bytes(text, string, strlen(string));
}

static inline void text_buffer_add_char(struct text_buffer *text, char c)
{
	*text_buffer_reserve(text, 1) = c;
	text->nr++;
}

/**
 * text_buffer_add_chars() - Add a character several times
 * @text: text
 * @c: character
 * @nr: number of times; 0 adds nothing
 */
void text_buffer_add_chars(struct text_buffer *text, char c, size_t nr);

/**
 * text_buffer_add_hex() - Add a number in base 16
 * @text: text
 * @value: number
 * @width: minimum number of characters; blanks come before a shorter number
 */
void text_buffer_add_hex(struct text_buffer *text, uint64_t value, unsigned int width);

/**
 * text_buffer_add_number() - Add a number in base 10
 * @text: text
 * @value: number
 * @width: minimum number of characters
 * @pad: character before a shorter number: a blank, or '0' for a number that is not negative
 */
void text_buffer_add_number(struct text_buffer *text, int64_t value, unsigned int width, char pad);

/* Print the text, and make it empty. */
void text_buffer_print(struct text_buffer *text, FILE *out);
void text_buffer_free(struct text_buffer *text);

#endif
