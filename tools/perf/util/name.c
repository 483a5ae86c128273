// SPDX-License-Identifier: GPL-2.0
/* Escaping of names before they are printed, and comma-separated lists of names. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "name.h"
#include "utf8.h"

bool is_control_character(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/*
 * Return the length of the UTF-8 character at @s if it is safe on a terminal. Return 0 if the first
 * byte must be escaped, because it is a control character or not UTF-8. A terminal in an 8-bit mode
 * may take such a byte for a C1 control, and UTF-8 parsers stop at it.
 */
static size_t printable_length(const unsigned char *s, size_t left)
{
	uint32_t c;
	size_t n = utf8_decode(s, left, &c);

	return n && !is_control_character(c) ? n : 0;
}

char *escape_name(const char *name)
{
	const unsigned char *s = (const unsigned char *)name;
	char *copy, *out;
	size_t n;

	copy = xreallocarray(NULL, strlen(name) + 1, 4);
	out = copy;
	while (*s) {
		if (*s >= 0x20 && *s < 0x7f) {
			*out++ = *s++;
			continue;
		}
		/* No multi-byte character contains a NUL, so none reaches beyond the end. */
		n = printable_length(s, SIZE_MAX);
		if (n) {
			memcpy(out, s, n);
			out += n;
			s += n;
		} else {
			out += sprintf(out, "\\x%02x", *s++);
		}
	}
	*out = '\0';
	return copy;
}

void fput_name(const char *name, FILE *out)
{
	char *safe = escape_name(name);

	fputs(safe, out);
	free(safe);
}

void fput_quoted(const char *bytes, size_t size, FILE *out)
{
	static const char special[] = "\"\\\n\t\r", letters[] = "\"\\ntr";
	const unsigned char *at = (const unsigned char *)bytes, *end = at + size;
	const char *found;
	size_t n;

	fputc('"', out);
	while (at < end) {
		found = *at ? strchr(special, *at) : NULL;
		n = found ? 0 : printable_length(at, end - at);
		if (n)
			fwrite(at, 1, n, out);
		else if (found)
			fprintf(out, "\\%c", letters[found - special]);
		else
			fprintf(out, "\\x%02x", *at);
		at += n ? n : 1;
	}
	fputc('"', out);
}

bool in_list(const char *list, const char *name)
{
	size_t length = strlen(name);

	while (list && *list) {
		size_t item = strcspn(list, ",");

		if (item == length && !strncmp(list, name, length))
			return true;
		list += item;
		list += *list == ',';
	}
	return !list;
}
