// SPDX-License-Identifier: GPL-2.0
/*
 * Copies of files by build-id: names that would lead out of the directory are refused, a copy has
 * the build-id of its entry, and nothing of a refused file stays.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/symbol.h"
#include "unit.h"

static char directory[40] = "/tmp/perf-unit-file-cache-XXXXXX";
static struct file_cache cache;
static char own_id[BUILD_ID_TEXT];
static int own_fd;

/* Return the number of files in the cache. */
static int count_files(void)
{
	char *command = xasprintf("find %s -type f | wc -l", directory);
	FILE *out = popen(command, "r");
	int nr = -1;

	if (!out || fscanf(out, "%d", &nr) != 1)
		abort();
	pclose(out);
	free(command);
	return nr;
}

static int add(const char *path, const char *id, const char *kind)
{
	const struct cached_file file = {
		.path = path, .id = id, .kind = kind, .fd = own_fd, .limit = 1 << 30,
	};

	return file_cache_add(&cache, &file);
}

static void test_refused(void)
{
	check_number(add("/a/../../b", own_id, "elf"), -EINVAL, "a path with .. is refused");
	check_number(add("/a/./b", own_id, "elf"), -EINVAL, "a path with . is refused");
	check_number(add("/a//b", own_id, "elf"), -EINVAL, "a path with an empty part is refused");
	check_number(add("/.build-id/aa/bb", own_id, "elf"), -EINVAL,
		     "the directory of links is no path of a file");
	check_number(add("/a", "..", "elf"), -EINVAL, "a build-id has only digits");
	check_number(add("/a", "a/b", "elf"), -EINVAL, "a build-id has no slash");
	check_number(add("/a", "0123456789", "elf"), -ESTALE,
		     "a file with another build-id is refused");
	check_number(count_files(), 0, "nothing of a refused file stays");
	check(!file_cache_has(&cache, own_id, "elf"), "a refused file is not found");
}

/* A link leads out of the directory. */
static void test_links(void)
{
	char *link = xasprintf("%s/.build-id/ab/cdef", directory);
	char *parts[2] = { xasprintf("%s/.build-id", directory),
			   xasprintf("%s/.build-id/ab", directory) };

	mkdir(parts[0], 0755);
	mkdir(parts[1], 0755);
	if (symlink("../../../../etc/abcdef", link))
		abort();
	check(!file_cache_has(&cache, "abcdef", "elf"), "a link that leads out is not followed");
	check(file_cache_remove(&cache, "abcdef") < 0, "nothing behind it is removed");
	free(parts[0]);
	free(parts[1]);
	free(link);
}

static void test_added(void)
{
	struct cache_entry *entries;
	size_t nr;

	check_number(add("/a/b", own_id, "elf"), 0, "a file is added");
	check(file_cache_has(&cache, own_id, "elf"), "it is found");
	check(!file_cache_has(&cache, own_id, "debug"), "no other kind is found");
	entries = file_cache_list(&cache, &nr);
	check_number(nr, 1, "one entry is listed");
	check_string(nr ? entries[0].path : "", "/a/b", "it has the path");
	check_string(nr ? entries[0].id : "", own_id, "it has the build-id");
	check_number(nr ? entries[0].used : 1, 0, "perf record did not make it");
	file_cache_free_list(entries, nr);
	file_cache_trim(&cache, 0);
	check(file_cache_has(&cache, own_id, "elf"), "it is not trimmed");
	check_number(file_cache_remove(&cache, own_id), 0, "it is removed");
	check_number(count_files(), 0, "no file of it stays");
}

int main(void)
{
	char *command;
	uint8_t id[BUILD_ID_MAX];
	struct error err;
	ssize_t size;

	if (!mkdtemp(directory))
		abort();
	command = xasprintf("rm -rf %s", directory);
	size = elf_build_id_of(open("/proc/self/exe", O_RDONLY), id);
	build_id_hex(id, size > 0 ? size : 0, own_id);
	own_fd = open("/proc/self/exe", O_RDONLY);
	file_cache_use(directory);
	if (file_cache_open(&cache, true, &err))
		abort();
	test_refused();
	test_links();
	test_added();
	close(own_fd);
	file_cache_close(&cache);
	if (system(command))
		abort();
	free(command);
	return unit_finish();
}
