// SPDX-License-Identifier: GPL-2.0
/*
 * Names that are safe to print, and lists of names.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "name.h"

/*
 * Characters that do not print one after the other: C0 and C1 controls, DEL, those
 * that end a line or change its direction.
 */
static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* How many bytes a character of UTF-8 has whose first one is @byte; 0: none has that. */
static size_t utf8_length(unsigned char byte)
{
	if (byte < 0x80)
		return 1;
	if (byte >= 0xc2 && byte <= 0xdf)
		return 2;
	if (byte >= 0xe0 && byte <= 0xef)
		return 3;
	return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0;
}

/*
 * The length of the UTF-8 character at @s when it may go to a terminal as it is, 0
 * when its first byte must be escaped: controls, and bytes that are no UTF-8 (a
 * terminal in an 8-bit mode may take them for C1, and who parses UTF-8 stops there).
 */
static size_t printable_length(const unsigned char *s)
{
	/* The smallest number that needs so many bytes; others have no business there. */
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t i, n = utf8_length(s[0]);
	uint32_t c;

	if (n <= 1)
		return n && !is_control(s[0]);
	c = s[0] & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < smallest[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) || is_control(c))
		return 0;
	return n;
}

char *escape_name(const char *name)
{
	const unsigned char *s = (const unsigned char *)name;
	char *copy, *out;
	size_t n;

	copy = xreallocarray(NULL, strlen(name) + 1, 4);
	out = copy;
	while (*s) {
		n = printable_length(s);
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
