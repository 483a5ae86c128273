// SPDX-License-Identifier: GPL-2.0
/* Texts that grow, and the numbers in them. */
#include <inttypes.h>
#include <stdlib.h>

#include "util/util.h"
#include "unit.h"

/* Check that the text is @expected, and make it empty. */
static void check_text(struct text_buffer *text, const char *expected, const char *what)
{
	text_buffer_add_char(text, '\0');
	check_string(text->bytes, expected, what);
	text->nr = 0;
}

/* The numbers look as those of printf(). */
static void test_numbers(struct text_buffer *text)
{
	static const int64_t values[] = { 0, 7, -7, 12345, -12345, INT64_MAX, INT64_MIN, -1 };
	static const unsigned int widths[] = { 0, 1, 5, 16, 30 };
	size_t i, j, nr_wrong = 0;
	char *expected;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		for (j = 0; j < ARRAY_SIZE(widths); j++) {
			text_buffer_add_number(text, values[i], widths[j], ' ');
			text_buffer_add_char(text, '/');
			text_buffer_add_hex(text, values[i], widths[j]);
			text_buffer_add_char(text, '\0');
			expected = xasprintf("%*" PRId64 "/%*" PRIx64, (int)widths[j], values[i],
					     (int)widths[j], values[i]);
			nr_wrong += strcmp(text->bytes, expected) != 0;
			text->nr = 0;
			free(expected);
		}
	}
	check_number(nr_wrong, 0, "numbers of all widths are those of printf()");
	text_buffer_add_number(text, 42, 6, '0');
	check_text(text, "000042", "a number has zeros before it");
	text_buffer_add_number(text, 1234567, 6, '0');
	check_text(text, "1234567", "a long number is whole");
}

static void test_chars(struct text_buffer *text)
{
	text_buffer_add_chars(text, '-', 0);
	text_buffer_add(text, "a");
	text_buffer_add_chars(text, '-', 0);
	text_buffer_add_chars(text, ' ', 3);
	text_buffer_add(text, "b");
	check_text(text, "a   b", "a character is added several times, or never");
}

static void test_growth(struct text_buffer *text)
{
	size_t i, nr_wrong = 0;

	for (i = 0; i < 10000; i++) {
		text_buffer_add(text, "line ");
		text_buffer_add_number(text, i, 4, '0');
		text_buffer_add_bytes(text, "\nmore", 1);
	}
	check_number(text->nr, 100000, "a text has the bytes that were added");
	for (i = 0; i < text->nr; i += 10)
		nr_wrong += memcmp(text->bytes + i, "line ", 5) || text->bytes[i + 9] != '\n' ||
			    (size_t)strtoul(text->bytes + i + 5, NULL, 10) != i / 10;
	check_number(nr_wrong, 0, "a text keeps its bytes while it grows");
}

static void test_print(struct text_buffer *text)
{
	FILE *out = tmpfile();
	char line[16] = "";

	text->nr = 0;
	text_buffer_add(text, "printed");
	text_buffer_print(text, out);
	text_buffer_print(text, out);
	rewind(out);
	check(fgets(line, sizeof(line), out) && !text->nr, "a printed text is empty");
	check_string(line, "printed", "a text is printed once");
	fclose(out);
}

int main(void)
{
	struct text_buffer text = { 0 };

	test_chars(&text);
	test_numbers(&text);
	test_growth(&text);
	test_print(&text);
	text_buffer_free(&text);
	return unit_finish();
}
