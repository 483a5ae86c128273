// SPDX-License-Identifier: GPL-2.0
/*
 * Files in a recording: they are found by build-id or by path, damaged sections are left early, and
 * a small file that expands to much is refused.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/symbol.h"
#include "symbol/unpack.h"
#include "unit.h"

static void add(struct stored_files *files, enum stored_kind kind, const char *path, uint8_t id,
		const char *contents)
{
	struct stored_head head = {
		.kind = kind, .id_size = !!id, .id = { id }, .path_size = strlen(path),
		.packed = strlen(contents),
	};

	if (!stored_add(files, &head, path, contents))
		abort();
}

/* Return the contents of a file as text; "" if there is no such file. */
static const char *find(const struct stored_files *files, enum stored_kind kind, const char *path,
			uint8_t id)
{
	static char text[64];
	size_t size;
	const void *at = stored_find(files, kind, path, &id, !!id, &size);

	snprintf(text, sizeof(text), "%.*s", at ? (int)size : 0, at ? (const char *)at : "");
	return text;
}

static void test_find(void)
{
	struct stored_files files = { 0 };

	add(&files, STORED_ELF, "/a", 1, "one");
	add(&files, STORED_DEBUG, "/a", 1, "debug");
	add(&files, STORED_ELF, "/a", 2, "another");
	add(&files, STORED_PERF_MAP, "/tmp/perf-1.map", 0, "");
	add(&files, STORED_ELF, "/without", 0, "no build-id");
	check_string(find(&files, STORED_ELF, "/b", 1), "one", "a file is found by its build-id");
	check_string(find(&files, STORED_ELF, "/a", 2), "another", "so is another at its path");
	check_string(find(&files, STORED_DEBUG, "", 1), "debug", "the kind is compared");
	check_string(find(&files, STORED_ELF, "/without", 0), "no build-id",
		     "a file without a build-id is found by its path");
	check_string(find(&files, STORED_ELF, "/a", 0), "",
		     "a file with a build-id is not found by its path");
	check_string(find(&files, STORED_ELF, "/a", 3), "", "an unknown build-id is not found");
	free(files.bytes);
}

/* Change each byte, and end the section at each byte; with SANITIZE=1 this finds bad accesses. */
static void test_damage(void)
{
	struct stored_files files = { 0 }, part;
	size_t i, found = 0;
	uint8_t *bytes;

	add(&files, STORED_ELF, "/first", 1, "contents");
	add(&files, STORED_ELF, "/second", 2, "more");
	for (i = 0; i < files.size; i++) {
		part.size = files.size;
		bytes = xmalloc(files.size);
		part.bytes = bytes;
		memcpy(bytes, files.bytes, files.size);
		bytes[i] ^= 0xff;
		found += *find(&part, STORED_ELF, "", 2) != '\0';
		part.size = i;
		part.bytes = xrealloc(bytes, i + 1);
		found += *find(&part, STORED_ELF, "", 2) != '\0';
		free(part.bytes);
	}
	check(found > 0 && found < 2 * files.size, "damaged sections are read up to the damage");
	free(files.bytes);
}

static void test_budget(void)
{
	int fd = memfd_create("zeros", MFD_CLOEXEC);
	struct dso dso = { .path = "/a", .id = { 1 }, .id_size = 1 };
	struct data_features features = { 0 };
	struct dso_set set = { .features = &features };
	struct stat st;
	size_t packed;
	void *bytes;
	int out;

	if (fd < 0 || ftruncate(fd, UNPACKED_MAX + 1))
		abort();
	check(!stored_pack(fd, &packed), "a file beyond the budget is not stored");
	if (ftruncate(fd, 1 << 20))
		abort();
	bytes = stored_pack(fd, &packed);
	if (!bytes)
		abort();
	stored_add(&features.stored, &(struct stored_head){
		.kind = STORED_ELF, .id_size = 1, .id = { 1 }, .packed = packed }, "", bytes);
	out = stored_open(&set, STORED_ELF, &dso);
	check(out >= 0 && !fstat(out, &st) && st.st_size == 1 << 20, "a file is expanded again");
	close(out);
	/* The contents of zstd end early. */
	memset((char *)features.stored.bytes + sizeof(struct stored_head) + packed / 2, 0xff,
	       packed / 2);
	check_number(stored_open(&set, STORED_ELF, &dso), -1, "damaged contents are refused");
	free(bytes);
	free(features.stored.bytes);
	close(fd);
}

/* Return the number of bytes of a file that are not zero. */
static size_t count_bytes(int fd)
{
	size_t nr = 0;
	struct stat st;
	uint8_t *bytes;
	off_t i;

	if (fstat(fd, &st))
		abort();
	bytes = xmalloc(st.st_size);
	if (pread(fd, bytes, st.st_size, 0) != st.st_size)
		abort();
	for (i = 0; i < st.st_size; i++)
		nr += bytes[i] != 0;
	free(bytes);
	return nr;
}

static void test_symbols(void)
{
	struct elf_file whole = { 0 }, symbols = { 0 };
	int fd = open_linked_file("/proc/self/exe"), copy;
	char *path = NULL;
	struct error err;

	if (fd < 0) {
		path = realpath("/proc/self/exe", NULL);
		fd = open_regular(path);
	}
	copy = stored_symbols_of(fd);
	check(copy >= 0, "the symbols of a program are copied");
	check(count_bytes(copy) < count_bytes(fd) / 2, "most of the program is left out");
	free(path);
	path = xasprintf("/proc/self/fd/%d", fd);
	if (elf_file_load(&whole, path, &err))
		abort();
	free(path);
	path = xasprintf("/proc/self/fd/%d", copy);
	if (elf_file_load(&symbols, path, &err))
		printf("# %s\n", err.text);
	free(path);
	check_number(symbols.symbols.nr, whole.symbols.nr, "all functions are in the copy");
	check_number(symbols.nr_segments, whole.nr_segments, "all segments are in the copy");
	elf_file_free(&whole);
	elf_file_free(&symbols);
	close(copy);
	close(fd);
}

int main(void)
{
	test_find();
	test_damage();
	test_budget();
	test_symbols();
	return unit_finish();
}
