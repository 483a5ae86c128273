// SPDX-License-Identifier: GPL-2.0
/*
 * The formats of tracepoints: the section whole, cut off and damaged anywhere; valid and invalid
 * records; fields that are looked up again and again.
 */
#include <stdlib.h>
#include <unistd.h>

#include "file/tracing_data.h"
#include "made_formats.h"
#include "unit.h"

#define ID 321

/* The fields of the record that is printed. */
#define FIELDS \
	"name: pour\nID: 321\nformat:\n" \
	COMMON_FIELDS \
	"\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:0;\n" \
	"\tfield:__data_loc char[] name;\toffset:16;\tsize:4;\tsigned:0;\n" \
	"\tfield:u64 at;\toffset:24;\tsize:8;\tsigned:0;\n\n"

static const char format[] = FIELDS
	"print fmt: \"comm=%s name=%s where=%ps\", REC->comm, __get_str(name), (void *)REC->at\n";

static struct bytes section;

/* Make a section that has the format @text. */
static void make_section_of(const char *text)
{
	section.size = 0;
	put_formats(&section, "kitchen", &text, 1);
}

static void make_section(void)
{
	make_section_of(format);
}

/* Make a record of 40 bytes whose name is at @offset and has @length bytes. */
static void make_record(char *raw, unsigned int offset, unsigned int length)
{
	const unsigned short id = ID;
	const unsigned int where = length << 16 | offset;
	const unsigned long long addr = 0x1234;

	memset(raw, 0, 40);
	memcpy(raw, &id, sizeof(id));
	memcpy(raw + 8, "cook\0\0\0", 8);
	memcpy(raw + 16, &where, sizeof(where));
	memcpy(raw + 24, &addr, sizeof(addr));
	memcpy(raw + 32, "te\033a\0\0\0", 8);
}

/* Return the printed record; "" for an invalid one. The caller frees it. */
static char *printed(struct tracing_data *t, const char *raw, size_t size)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	bool good = tracing_data_print(t, out, ID, 0, raw, size);

	fclose(out);
	if (!good)
		check_number(length, 0, "an invalid record prints nothing");
	return text;
}

static const char *name_of(void *context, uint64_t *addr)
{
	*(uint64_t *)context = *addr;
	*addr = 0x1230;
	return "boil";
}

static void test_records(void)
{
	struct tracing_data *t = tracing_data_parse(section.data, section.size);
	uint64_t asked = 0;
	char raw[40], *text;

	check(t && !tracing_data_is_damaged(t), "a whole section is read");
	make_record(raw, 32, 5);
	text = printed(t, raw, sizeof(raw));
	check(strstr(text, "comm=cook name=te\\x1ba where=") == text,
	      "fields are printed, controls escaped");
	free(text);
	tracing_data_name_functions(t, name_of, &asked);
	text = printed(t, raw, sizeof(raw));
	check_string(text, "comm=cook name=te\\x1ba where=boil",
		     "a function pointer is printed by name");
	check_number(asked, 0x1234, "the resolver gets the function's address");
	free(text);

	make_record(raw, 32, 9);
	text = printed(t, raw, sizeof(raw));
	check_string(text, "", "a record whose name ends after it prints nothing");
	free(text);
	make_record(raw, 0xffff, 1);
	text = printed(t, raw, sizeof(raw));
	check_string(text, "", "a record whose name begins after it prints nothing");
	free(text);
	make_record(raw, 32, 8);
	memset(raw + 32, 'x', 8);
	text = printed(t, raw, sizeof(raw));
	check(strstr(text, "name=xxxxxxxx where="), "an unterminated name ends with its record");
	free(text);
	make_record(raw, 8, 0);
	text = printed(t, raw, 31);
	check_string(text, "", "a record that is too short prints nothing");
	free(text);
	text = NULL;
	check(!tracing_data_print(t, stdout, ID + 1, 0, raw, sizeof(raw)),
	      "an event of an unknown format is not printed");
	check(!tracing_data_print(t, stdout, ~0ULL, 0, raw, sizeof(raw)),
	      "an event without an id is not printed");
	check(!tracing_data_print(NULL, stdout, ID, 0, raw, sizeof(raw)),
	      "without a section nothing is printed");
	tracing_data_free(t);
}

static void test_damage(void)
{
	char *copy = xmalloc(section.size), raw[40], *text;
	struct tracing_data *t;
	size_t i, whole = 0, cut = 0;

	make_record(raw, 32, 5);
	for (i = 0; i < section.size; i++) {
		memcpy(copy, section.data, i);
		t = tracing_data_parse(copy, i);
		whole += t && !tracing_data_is_damaged(t);
		cut += t && tracing_data_is_damaged(t);
		tracing_data_free(t);
	}
	check_number(whole, 0, "a section cut off anywhere is refused");
	check(cut > section.size - 40, "most of a cut section is kept, marked as damaged");
	for (i = 0; i < 3 * section.size; i++) {
		memcpy(copy, section.data, section.size);
		copy[i % section.size] ^= 1 << i % 7 | 1 << i % 5;
		t = tracing_data_parse(copy, section.size);
		if (t) {
			FILE *out = open_memstream(&text, &whole);

			tracing_data_print(t, out, ID, 0, raw, sizeof(raw));
			fclose(out);
			free(text);
		}
		tracing_data_free(t);
	}
	check(true, "a changed bit does no harm");
	free(copy);
	copy = xmalloc(section.size);
	memcpy(copy, section.data, section.size);
	copy[14] = 1;
	check(!tracing_data_parse(copy, section.size), "the other byte order is refused");
	copy[14] = 0;
	copy[15] = 3;
	check(!tracing_data_parse(copy, section.size), "a long of 3 bytes is refused");
	free(copy);
}

/*
 * Formats that read or print more than the record has: a child process prints them, and this one
 * goes on if the child crashes or does not end.
 */
static void test_hostile_formats(void)
{
	static const struct {
		const char *print;
		const char *expected;	/* NULL: any text, or none */
	} all[] = {
		{ "\"%s\", __print_hex(REC->comm, 4)", "63 6f 6f 6b" },
		{ "\"%d\", (REC->comm[1] == 'o')", NULL },
		{ "\"%s\", __print_hex(REC->comm, 100000000)", "" },
		{ "\"%s\", __print_array(REC->comm, 100000000, 1)", "" },
		{ "\"%d\", REC->comm[0x7fffffffff]", NULL },
		{ "\"%999999999d\", REC->common_pid", NULL },
		{ "\"%d\", 1 / REC->common_pid", "" },
		{ "\"%s\", __get_str(common_pid)", NULL },
		{ "\"%*pbl\", 100000000, REC->comm", NULL },
	};
	struct tracing_data *t;
	char raw[40], *text;
	size_t i;

	make_record(raw, 32, 5);
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		char *whole = xasprintf("%sprint fmt: %s\n", FIELDS, all[i].print);

		make_section_of(whole);
		t = tracing_data_parse(section.data, section.size);
		text = t ? printed(t, raw, sizeof(raw)) : xstrdup("");
		check(!all[i].expected || !strcmp(text, all[i].expected), "%s: prints '%.40s'",
		      all[i].print, text);
		free(text);
		text = t ? printed(t, raw, sizeof(raw)) : xstrdup("");
		check(!all[i].expected || !strcmp(text, all[i].expected), "%s: once more",
		      all[i].print);
		free(text);
		tracing_data_free(t);
		free(whole);
	}
	make_section();
}

/* Two events, whose fields of the same name have different places. */
static const char *const twins[] = {
	"name: one\nID: 1\nformat:\n" COMMON_FIELDS
	"\tfield:u8 a;\toffset:8;\tsize:1;\tsigned:0;\n"
	"\tfield:u16 b;\toffset:10;\tsize:2;\tsigned:0;\n"
	"\tfield:u32 c;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 d;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 end;\toffset:24;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"%d\", REC->a\n",
	"name: two\nID: 2\nformat:\n" COMMON_FIELDS
	"\tfield:s64 d;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:s32 c;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:s16 b;\toffset:20;\tsize:2;\tsigned:1;\n"
	"\tfield:s8 a;\toffset:22;\tsize:1;\tsigned:1;\n"
	"\tfield:char odd[3];\toffset:24;\tsize:3;\tsigned:0;\n\n"
	"print fmt: \"%d\", REC->a\n",
};

static struct tracing_data *parse_twins(void)
{
	section.size = 0;
	put_formats(&section, "kitchen", twins, ARRAY_SIZE(twins));
	return tracing_data_parse(section.data, section.size);
}

/* Return the place of a field, or -1 if the event has no such field. */
static int place_of(const struct tracing_data *t, uint64_t id, const char *name)
{
	unsigned int offset, size;

	return tracing_data_place(t, id, name, &offset, &size) ? (int)offset : -1;
}

static void name_is(char *name, const char *text)
{
	memcpy(name, text, strlen(text) + 1);
}

/* The contents of a buffer change between two questions. */
static void test_changed_name(struct tracing_data *t)
{
	char name[8] = "a";

	check_number(place_of(t, 1, name), 8, "a field is found");
	name_is(name, "b");
	check_number(place_of(t, 1, name), 10, "a field is found by a buffer with a new name");
	name_is(name, "none");
	check_number(place_of(t, 1, name), -1, "a buffer with the name of no field finds none");
	name_is(name, "a");
	check_number(place_of(t, 1, name), 8, "a field is found by the first name again");
	check_number(place_of(t, 2, name), 22, "another event has the field elsewhere");
	check_number(place_of(t, 3, name), -1, "an unknown event has no field");
	check_number(place_of(t, 1ULL << 32 | 1, name), -1, "an id of 33 bits has no field");
}

/* Names at more addresses than are kept: some must share a place, and some must give way. */
static void test_many_names(struct tracing_data *t)
{
	static const char *const texts[] = { "a", "b", "c", "d", "none" };
	static const int places[2][ARRAY_SIZE(texts)] = {
		{ 8, 10, 12, 16, -1 }, { 22, 20, 16, 8, -1 },
	};
	static char names[3000][8];
	size_t i, round, text, nr_wrong = 0;
	uint64_t id;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		name_is(names[i], texts[i % ARRAY_SIZE(texts)]);
	for (round = 0; round < 2; round++) {
		for (i = 0; i < ARRAY_SIZE(names); i++) {
			text = i % ARRAY_SIZE(texts);
			for (id = 1; id <= 2; id++)
				nr_wrong += place_of(t, id, names[i]) != places[id - 1][text];
		}
	}
	check_number(nr_wrong, 0, "each of many names finds the field of its event");
}

static void test_numbers(struct tracing_data *t)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	static const uint64_t unsigned_values[] = {
		0xfe, 0xfefe, 0xfefefefe, 0xfefefefefefefefe,
	};
	static const int64_t signed_values[] = {
		-2, -258, -16843010, -72340172838076674,
	};
	char raw[32];
	uint64_t value;
	size_t i;

	memset(raw, 0xfe, sizeof(raw));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		check(tracing_data_number(t, 1, raw, sizeof(raw), names[i], &value) &&
		      value == unsigned_values[i], "unsigned number '%s'", names[i]);
		check(tracing_data_number(t, 2, raw, sizeof(raw), names[i], &value) &&
		      (int64_t)value == signed_values[i], "signed number '%s'", names[i]);
	}
	check(!tracing_data_number(t, 2, raw, sizeof(raw), "odd", &value),
	      "3 bytes are no number");
	check(tracing_data_number(t, 1, raw, 32, "end", &value) &&
	      !tracing_data_number(t, 1, raw, 31, "end", &value),
	      "a number that ends after its record is not read");
}

static void test_lookups(void)
{
	struct tracing_data *t = parse_twins();

	test_changed_name(t);
	test_many_names(t);
	test_numbers(t);
	tracing_data_free(t);
	make_section();
}

int main(void)
{
	alarm(200);
	setvbuf(stdout, NULL, _IOLBF, 0);
	make_section();
	test_records();
	test_lookups();
	test_damage();
	test_hostile_formats();
	return unit_finish();
}
