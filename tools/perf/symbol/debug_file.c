// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the debug file of a stripped file. A package may have installed it by build-id;
 * .gnu_debuglink may name it, in the directory of the file or below /usr/lib/debug; or a server has
 * it. A directory may stand for the root of another machine.
 *
 * libdwfl has a function for this. But that function also opens files that are no regular
 * files, and asks a server whenever $DEBUGINFOD_URLS is set, which some distributions do for
 * all users.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/util.h"
#include "cache_path.h"
#include "debug_file.h"
#include "elf_raw.h"
#include "elf_safe.h"
#include "stored_copy.h"

#define DEBUG_ROOT "/usr/lib/debug"

static bool ask_debuginfod;
static const char *debug_root = "";

void debug_file_use_root(const char *root)
{
	debug_root = root;
}

const char *debug_file_root(void)
{
	return debug_root;
}

void debuginfod_use(void)
{
	ask_debuginfod = true;
	/* libdebuginfod prints its progress. */
	if (isatty(STDERR_FILENO))
		setenv("DEBUGINFOD_PROGRESS", "1", 0);
}

/* Polynomial of the CRC in .gnu_debuglink, the lowest bit first. */
#define CRC_POLYNOMIAL 0xedb88320

static void make_crc_table(uint32_t table[256])
{
	uint32_t i, crc;
	int bit;

	for (i = 0; i < 256; i++) {
		crc = i;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ CRC_POLYNOMIAL : crc >> 1;
		table[i] = crc;
	}
}

/* Return true if a file, no larger than FOREIGN_SIZE_MAX, has the CRC @expected. */
static bool has_crc(int fd, uint32_t expected)
{
	uint32_t table[256], crc = ~0U;
	unsigned char bytes[65536];
	struct stat st;
	off_t at = 0;
	ssize_t i, n;

	if (fstat(fd, &st) || (uint64_t)st.st_size > FOREIGN_SIZE_MAX)
		return false;
	make_crc_table(table);
	while ((n = foreign_read(fd, bytes, sizeof(bytes), at)) > 0) {
		for (i = 0; i < n; i++)
			crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
		at += n;
	}
	return !n && ~crc == expected;
}

bool debug_file_is_own(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && (st.st_uid == 0 || st.st_uid == geteuid());
}

bool debug_file_has_id(int fd, const void *id, ssize_t size)
{
	uint8_t other[BUILD_ID_MAX];
	struct elf_raw elf;

	return !elf_raw_open(&elf, fd) && elf_raw_build_id(&elf, other) == size &&
	       !memcmp(other, id, size);
}

/*
 * Return true if the file was made for the module. Compares build-ids, or CRCs if the module has no
 * build-id.
 */
static bool belongs_to(int fd, Dwfl_Module *module, uint32_t crc)
{
	const unsigned char *id;
	GElf_Addr at;
	int size = dwfl_module_build_id(module, &id, &at);

	return size > 0 ? debug_file_has_id(fd, id, size) : has_crc(fd, crc);
}

/* Open @path if it is the module's debug file. @path becomes @found, or is freed. */
static int open_linked(char *path, Dwfl_Module *module, uint32_t crc, char **found)
{
	int fd = open_regular(path);

	if (fd >= 0)
		fd = foreign_freeze(fd);
	if (fd >= 0 && belongs_to(fd, module, crc)) {
		*found = path;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return -1;
}

char *debug_file_by_id(const void *id, size_t size)
{
	const unsigned char *bytes = id;
	char *path, *name;
	size_t i;

	name = xcalloc(size * 2 + 3, 1);
	for (i = 0; i < size; i++)
		sprintf(name + i * 2, "%02x", bytes[i]);
	path = xasprintf("%s" DEBUG_ROOT "/.build-id/%.2s/%s.debug", debug_root, name, name + 2);
	free(name);
	return path;
}

/* Look for a file that a package installed by build-id, below --symfs. */
static int find_below_root(Dwfl_Module *module, char **found)
{
	const unsigned char *id;
	GElf_Addr at;
	int size;

	size = dwfl_module_build_id(module, &id, &at);
	if (!*debug_root || size < 2)
		return -1;
	return open_linked(debug_file_by_id(id, size), module, 0, found);
}

/* Look for a copy that perf record or the user made. */
static int find_cached(Dwfl_Module *module, char **found)
{
	char text[BUILD_ID_TEXT], *directory;
	const unsigned char *id;
	GElf_Addr at;
	int size, fd;

	size = dwfl_module_build_id(module, &id, &at);
	directory = file_cache_path();
	if (size < 2 || size > BUILD_ID_MAX || !directory) {
		free(directory);
		return -1;
	}
	build_id_hex(id, size, text);
	fd = open_linked(xasprintf("%s/.build-id/%.2s/%s/debug", directory, text, text + 2),
			 module, 0, found);
	free(directory);
	return fd;
}

/* Look in the recording, see perf record --self-contained. */
static int find_stored(Dwfl_Module *module, char **found)
{
	const unsigned char *id;
	GElf_Addr at;
	int size = dwfl_module_build_id(module, &id, &at);
	int fd = size > 0 ? stored_debug_open(id, size) : -1;

	if (fd >= 0 && debug_file_has_id(fd, id, size)) {
		*found = xasprintf("/proc/self/fd/%d", fd);
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * Find the debug file that @link names. A @link with a slash is refused: it could lead to any
 * directory.
 */
static int find_linked(Dwfl_Module *module, const char *path, const char *link, uint32_t crc,
		       char **found)
{
	int length, root = 0, fd;

	if (!path || !link || !*link || strchr(link, '/') || !strchr(path, '/'))
		return -1;
	length = strrchr(path, '/') - path;
	if (!strncmp(path, debug_root, strlen(debug_root)))
		root = strlen(debug_root);
	fd = -1;
		/* Do not try the file itself, whose build-id would match. */
	if (strcmp(path + length + 1, link))
		fd = open_linked(xasprintf("%.*s/%s", length, path, link), module, crc, found);
	if (fd < 0)
		fd = open_linked(xasprintf("%.*s/.debug/%s", length, path, link), module, crc,
				 found);
	if (fd < 0)
		fd = open_linked(xasprintf("%.*s" DEBUG_ROOT "%.*s/%s", root, path, length - root,
					   path + root, link), module, crc, found);
	return fd;
}

/* The name of shared debug information has a slash; dwarf_file.c opens that file. */
static bool is_shared(const char *link)
{
	return link && strchr(link, '/');
}

static int find(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		const char *path, const char *link, GElf_Word crc, char **found)
{
	int fd;

	fd = dwfl_build_id_find_debuginfo(module, NULL, NULL, 0, NULL, NULL, 0, found);
	if (fd < 0 && !is_shared(link))
		fd = find_below_root(module, found);
	if (fd < 0 && !is_shared(link))
		fd = find_cached(module, found);
	if (fd < 0)
		fd = find_stored(module, found);
	if (fd < 0)
		fd = find_linked(module, path, link, crc, found);
	/*
	 * Without the name of a link, dwfl_standard_find_debuginfo() looks for the build-id only,
	 * and asks the servers.
	 */
	if (fd < 0 && ask_debuginfod)
		fd = dwfl_standard_find_debuginfo(module, userdata, name, base, NULL, NULL, 0,
						  found);
	if (fd >= 0 && !debug_file_is_own(fd))
		*userdata = module;
	return fd;
}

int debug_file_find(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    const char *path, const char *link, GElf_Word crc, char **found)
{
	int fd = find(module, userdata, name, base, path, link, crc, found);
	struct error err;

	if (fd < 0)
		return fd;
	fd = elf_safe_fd(fd, *found ? *found : path, &err);
	if (fd < 0)
		warn("%s", err.text);
	return fd;
}
