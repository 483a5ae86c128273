// SPDX-License-Identifier: GPL-2.0
/* Fields of CSV (RFC 4180). */
#include <string.h>

#include "csv.h"

void csv_print_string(FILE *out, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}
