// SPDX-License-Identifier: GPL-2.0
/*
 * Opens the debug information of a program, a library, a kernel module or vmlinux.
 *
 * Debug information may name other files: one that several files share (.gnu_debugaltlink, made
 * by dwz), and one for each compilation unit (.dwo). libdw opens whatever these names lead to.
 * Opening a device or a fifo has side effects, so the first kind is opened here, and the second
 * kind in split_unit.c.
 */
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug_file.h"
#include "dwarf_file.h"
#include "elf_file.h"
#include "elf_safe.h"

/* Return the descriptor of the file at @path if it has the build-id @id, or -1. Frees @path. */
static int open_with_id(char *path, const void *id, ssize_t size)
{
	struct error err;
	int fd = elf_safe_open(path, &err);

	free(path);
	if (fd < 0 || debug_file_has_id(fd, id, size))
		return fd;
	close(fd);
	return -1;
}

/*
 * Find the file that @name, in the debug file @path, leads to. Distributions install it by its
 * build-id, too.
 */
static int find_alt(const char *path, const char *name, const void *id, ssize_t size)
{
	const char *slash = strrchr(path, '/');
	int directory = slash ? slash - path + 1 : 0, fd;

	fd = open_with_id(debug_file_by_id(id, size), id, size);
	if (fd < 0 && name[0] == '/')
		fd = open_with_id(xstrdup(name), id, size);
	if (fd < 0 && name[0] != '/')
		fd = open_with_id(xasprintf("%.*s%s", directory, path, name), id, size);
	return fd;
}

/* Open the debug information that @file->dwarf shares with other files. */
static void open_alt(struct dwarf_file *file, const char *path)
{
	const char *debug_path, *name;
	const void *id;
	ssize_t size;

	size = dwelf_dwarf_gnu_debugaltlink(file->dwarf, &name, &id);
	if (size <= 0)
		return;
	dwfl_module_info(file->module, NULL, NULL, NULL, NULL, NULL, NULL, &debug_path);
	file->alt_fd = find_alt(debug_path ? debug_path : path, name, id, size);
	if (file->alt_fd >= 0)
		file->alt = dwarf_begin(file->alt_fd, DWARF_C_READ);
	if (file->alt)
		dwarf_setalt(file->dwarf, file->alt);
	else if (!file->trusted)
		file->dwarf = NULL;
}

static void open_dwarf(struct dwarf_file *file, const char *path)
{
	Dwarf_Addr bias;
	void **untrusted;

	file->dwarf = dwfl_module_getdwarf(file->module, &bias);
	if (!file->dwarf)
		return;
	file->to_dwarf = file->bias - bias;
	dwfl_module_info(file->module, &untrusted, NULL, NULL, NULL, NULL, NULL, NULL);
	file->trusted &= !*untrusted;
	open_alt(file, path);
}

int dwarf_file_open(struct dwarf_file *file, const char *path, struct error *err)
{
	int fd = open_regular(path);
	GElf_Addr bias;

	*file = (struct dwarf_file){ .alt_fd = -1 };
	if (fd < 0) {
		error_set(err, "%s: cannot read it: %s", path, open_failure(fd));
		return -1;
	}
	file->trusted = debug_file_is_own(fd);
	fd = elf_safe_fd(fd, path, err);
	if (fd < 0)
		return -1;
	file->dwfl = elf_dwfl_open_fd(fd, path, &file->module, err);
	if (!file->dwfl) {
		error_set(err, "%s: not a program or library", path);
		return -1;
	}
	file->elf = dwfl_module_getelf(file->module, &bias);
	if (!file->elf) {
		error_set(err, "%s: not a program or library: %s", path, dwfl_errmsg(-1));
		return -1;
	}
	file->bias = bias;
	open_dwarf(file, path);
	return 0;
}

void dwarf_file_close(struct dwarf_file *file)
{
	dwfl_end(file->dwfl);
	dwarf_end(file->alt);
	if (file->alt_fd >= 0)
		close(file->alt_fd);
	*file = (struct dwarf_file){ .alt_fd = -1 };
}
