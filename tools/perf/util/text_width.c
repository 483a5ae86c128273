// SPDX-License-Identifier: GPL-2.0
/* The columns that text takes on a terminal, and texts that are shortened to fit. */
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "memory.h"
#include "text_width.h"
#include "utf8.h"

void use_terminal_charset(void)
{
	setlocale(LC_CTYPE, "");
}

bool terminal_has_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

size_t character_width(uint32_t character)
{
	int width = wcwidth(character);

	return width < 0 ? 1 : width;
}

/* Return the number of bytes of the character at @text, and set @width to its columns. */
static size_t measure(const char *text, size_t *width)
{
	uint32_t c;
	size_t bytes;

	/* Most texts are ASCII, where each character, also one that is not printable, takes 1. */
	*width = 1;
	if (!(*text & 0x80))
		return 1;
	/* No multi-byte character contains a NUL, so none reaches beyond the end. */
	bytes = utf8_decode((const unsigned char *)text, SIZE_MAX, &c);
	if (!bytes)
		return 1;
	*width = character_width(c);
	return bytes;
}

size_t text_width(const char *text)
{
	size_t sum = 0, width;

	while (*text) {
		text += measure(text, &width);
		sum += width;
	}
	return sum;
}

/* Return the end of the longest start of @text that has at most @room columns. */
static const char *cut_end(const char *text, size_t room)
{
	size_t bytes, width;

	while (*text) {
		bytes = measure(text, &width);
		if (width > room)
			break;
		room -= width;
		text += bytes;
	}
	return text;
}

/* Return the start of the longest end of @text that has at most @room columns. */
static const char *cut_start(const char *text, size_t room)
{
	size_t left = text_width(text), width;

	/* Characters without a width belong to the one before them. */
	while (*text && left > room) {
		text += measure(text, &width);
		left -= width;
	}
	while (*text) {
		size_t bytes = measure(text, &width);

		if (width)
			break;
		text += bytes;
	}
	return text;
}

char *shorten_text(const char *text, size_t width)
{
	const char *mark = terminal_has_utf8() ? "…" : "~", *end;
	size_t room;

	if (text_width(text) <= width)
		return xstrdup(text);
	if (!width)
		return xstrdup("");
	room = width - 1;
	end = cut_end(text, room - room / 2);
	return xasprintf("%.*s%s%s", (int)(end - text), text, mark, cut_start(end, room / 2));
}
