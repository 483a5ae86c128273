// SPDX-License-Identifier: GPL-2.0
/* Strings in JSON syntax: RFC 8259, section 7. */
#include <string.h>

#include "json.h"
#include "utf8.h"

void json_print_bytes(FILE *out, const char *bytes, size_t size)
{
	const unsigned char *at = (const unsigned char *)bytes, *end = at + size;
	uint32_t character;
	size_t length;

	fputc('"', out);
	for (; at < end; at += length ? length : 1) {
		length = utf8_decode(at, end - at, &character);
		if (!length)
			fputs("\\ufffd", out);
		else if (*at == '"' || *at == '\\')
			fprintf(out, "\\%c", *at);
		else if (*at < 0x20 || *at == 0x7f)
			fprintf(out, "\\u%04x", *at);
		else
			fwrite(at, 1, length, out);
	}
	fputc('"', out);
}

void json_print_string(FILE *out, const char *string)
{
	json_print_bytes(out, string, strlen(string));
}
