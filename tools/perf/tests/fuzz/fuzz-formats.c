// SPDX-License-Identifier: GPL-2.0
/*
 * Formats of tracepoints, and a record that is printed by them.
 *
 * Byte 0 of an input: 0: a section TRACING_DATA follows the record, otherwise the text of one
 * format. Byte 1 is the number of 8-byte words of the record, which follows.
 */
#define FUZZ_FORKS
#include "file/file.h"
#include "fuzz.h"

#define EVENT 1			/* id of the record's event */

/* Put a number of 4 or 8 bytes. */
static void put(FILE *to, uint64_t value, size_t size)
{
	fwrite(&value, size, 1, to);
}

/* Wrap a format into a section that has no other format. Return: the section, to be freed. */
static char *section_of(const uint8_t *format, size_t size, size_t *length)
{
	static const char start[] = "\x17\x08\x44tracing0.6";
	char *section = NULL;
	FILE *to = open_memstream(&section, length);

	if (!to)
		abort();
	fwrite(start, sizeof(start), 1, to);
	put(to, 8 << 8, 2);		/* little-endian, 8 bytes in a long */
	put(to, 4096, 4);
	fwrite("header_page", 12, 1, to);
	put(to, 0, 8);
	fwrite("header_event", 13, 1, to);
	put(to, 0, 8);
	put(to, 0, 4);			/* formats of ftrace */
	put(to, 1, 4);			/* systems */
	fwrite("fuzz", 5, 1, to);
	put(to, 1, 4);
	put(to, size, 8);
	fwrite(format, size, 1, to);
	put(to, 0, 4);			/* kallsyms */
	put(to, 0, 4);			/* printk_formats */
	put(to, 0, 8);			/* saved_cmdlines */
	if (fclose(to))
		abort();
	return section;
}

static void read_fields(struct tracing_data *formats, const uint8_t *raw, size_t size)
{
	static const char *const names[] = { "a", "b", "text" };
	char string[16];
	uint64_t value;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		tracing_data_number(formats, EVENT, raw, size, names[i], &value);
		tracing_data_string(formats, EVENT, raw, size, names[i], string, sizeof(string));
		tracing_data_print_field(formats, stdout, EVENT, raw, size, names[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t raw_size, length;
	struct tracing_data *formats;
	uint8_t *raw;
	char *section;

	if (size < 2 || size - 2 < data[1] * 8)
		return 0;
	raw_size = data[1] * 8;
	/* An allocation of its own, so that a read after the end of the record is seen. */
	raw = xmalloc(raw_size + 1);
	memcpy(raw, data + 2, raw_size);
	length = size - 2 - raw_size;
	if (*data)
		section = section_of(data + 2 + raw_size, length, &length);
	else
		section = memcpy(xmalloc(length + 1), data + 2 + raw_size, length);
	formats = tracing_data_parse(section, length);
	if (formats) {
		tracing_data_print(formats, stdout, EVENT, 0, raw, raw_size);
		read_fields(formats, raw, raw_size);
	}
	tracing_data_free(formats);
	free(section);
	free(raw);
	return 0;
}
