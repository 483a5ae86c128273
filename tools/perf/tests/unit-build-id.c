// SPDX-License-Identifier: GPL-2.0
/*
 * The recorded build-ids of files: each file's id is found, and finding one id of many,
 * or one of many files with the same name, does not compare all of them.
 */
#include <stdlib.h>

#include "symbol/symbol.h"
#include "unit.h"

static size_t nr_compared;

/* Count comparisons: this function replaces the C library's in this program. */
int strcmp(const char *a, const char *b)
{
	nr_compared++;
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (unsigned char)*a - (unsigned char)*b;
}

static const struct symbol_sources sources = { .data_path = "" };

static void note(struct data_features *features, bool kernel, const char *path, uint32_t id)
{
	struct {
		struct build_id_entry head;
		char path[64];
	} entry = { .head = { .id_size = 4 } };

	entry.head.header.misc = MISC_BUILD_ID_SIZE |
				 (kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	memcpy(entry.head.id, &id, sizeof(id));
	snprintf(entry.path, sizeof(entry.path), "%s", path);
	if (data_features_add_build_id(features, &entry, sizeof(entry)))
		abort();
}

/* Return the id found for a file; 0: none. */
static uint32_t id_of(struct dso_set *set, enum dso_kind kind, const char *path)
{
	struct dso *dso = dso_set_add(set, kind, path, NULL, 0);
	uint32_t id = 0;

	dso_find_recorded_id(set, dso);
	memcpy(&id, dso->id, dso->id_size);
	return id;
}

static void test_whose(void)
{
	struct data_features features = { 0 };
	struct dso_set set = { .sources = &sources, .features = &features };

	check_number(id_of(&set, DSO_FILE, "/early"), 0, "no id is found without recorded ids");
	note(&features, true, "[kernel.kallsyms]_text", 1);
	note(&features, false, "/bin/a", 2);
	note(&features, false, "/bin/b", 3);
	note(&features, false, "/bin/a", 4);
	check_number(id_of(&set, DSO_FILE, "/bin/b"), 3, "a file has its recorded id");
	check_number(id_of(&set, DSO_FILE, "/bin/a"), 2, "the first of two recorded ids is used");
	check_number(id_of(&set, DSO_FILE, "/bin/c"), 0, "a file without recorded id has none");
	check_number(id_of(&set, DSO_KERNEL, KERNEL_NAME), 1,
		     "the kernel's id is found with any suffix");
	dso_set_free(&set);
	data_features_free(&features);
	note(&features, false, KERNEL_NAME, 5);
	set = (struct dso_set){ .sources = &sources, .features = &features };
	check_number(id_of(&set, DSO_KERNEL, KERNEL_NAME), 0,
		     "a program's id is not used for the kernel");
	dso_set_free(&set);
	data_features_free(&features);
}

static void test_replaced(void)
{
	static const uint8_t one[] = { 1 }, two[] = { 2 }, longer[] = { 2, 0 };
	struct data_features features = { 0 };
	struct dso_set set = { .sources = &sources, .features = &features };
	struct dso *first = dso_set_add(&set, DSO_FILE, "/bin/a", one, sizeof(one));
	struct dso *second = dso_set_add(&set, DSO_FILE, "/bin/a", two, sizeof(two));

	check(first != second, "files of one name and two ids are two dsos");
	check(dso_set_add(&set, DSO_FILE, "/bin/a", one, sizeof(one)) == first &&
	      dso_set_add(&set, DSO_FILE, "/bin/a", two, sizeof(two)) == second,
	      "each dso is found by its id");
	check(dso_set_add(&set, DSO_FILE, "/bin/a", longer, sizeof(longer)) != second,
	      "an id with more bytes is another id");
	check(dso_set_add(&set, DSO_FILE, "/bin/a", NULL, 0) != first &&
	      dso_set_add(&set, DSO_FILE, "/bin/a", NULL, 0) != second,
	      "a file without an id is another dso");
	check(dso_set_add(&set, DSO_PLAIN, "/bin/a", one, sizeof(one)) != first,
	      "a dso of another kind is another dso");
	dso_set_free(&set);
}

/* Find @nr ids of @nr files. */
static void find_many(uint32_t nr)
{
	uint32_t i;
	struct data_features features = { 0 };
	struct dso_set set = { .sources = &sources, .features = &features };
	char path[32];

	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "/bin/%06u", i);
		note(&features, false, path, i + 1);
	}
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "/bin/%06u", i);
		if (id_of(&set, DSO_FILE, path) != i + 1)
			abort();
	}
	dso_set_free(&set);
	data_features_free(&features);
}

static void replace_often(uint32_t nr)
{
	uint32_t id;
	struct data_features features = { 0 };
	struct dso_set set = { .sources = &sources, .features = &features };

	for (id = 0; id < 2 * nr; id++) {
		uint32_t one = id / 2;

		dso_set_add(&set, DSO_FILE, "/bin/replaced", (uint8_t *)&one, sizeof(one));
	}
	dso_set_free(&set);
}

static void check_work(void (*work)(uint32_t nr), const char *what)
{
	size_t once, twice;

	nr_compared = 0;
	work(1000);
	once = nr_compared;
	work(2000);
	twice = nr_compared - once;
	check(once > 0, "comparisons are counted");
	check_doubled(once, twice, what);
}

/* An entry has a path of at least one byte: the terminator. */
static void test_size(void)
{
	struct data_features features = { 0 };
	struct {
		struct build_id_entry head;
		char path[1];
	} entry = { .head = { .id_size = 4 } };

	entry.head.header.misc = MISC_BUILD_ID_SIZE | PERF_RECORD_MISC_USER;
	check(data_features_add_build_id(&features, &entry, sizeof(entry.head)) < 0,
	      "an entry without a path is refused");
	check(!data_features_add_build_id(&features, &entry, sizeof(entry.head) + 1),
	      "an entry with an empty path is accepted");
	data_features_free(&features);
}

int main(void)
{
	test_whose();
	test_size();
	test_replaced();
	check_work(find_many, "twice as many build-ids take twice as many comparisons");
	check_work(replace_often, "twice as many ids of one name take twice as many");
	return unit_finish();
}
