// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of programs and libraries.
 *
 * A file is used only if it is the recorded one: its build-id must be the recorded build-id. If
 * none was recorded for it, but build-ids came with other mappings, the file must not have a
 * build-id. Wrong names are worse than none.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "build_id_path.h"
#include "kernel.h"
#include "live_file.h"
#include "stored_copy.h"
#include "user.h"

/*
 * Read the functions of a file. Warn the user if it is unreadable; its functions then get no names.
 */
static void load_from(struct dso *dso, const char *path)
{
	struct error err;

	if (elf_file_load(&dso->elf, path, &err))
		warn("%s", err.text);
	else
		dso->code_path = xstrdup(path);
}

/* Load a copy of the recorded file from a directory of files by build-id. */
static bool load_kept(struct dso *dso)
{
	const char *kind = dso->kind == DSO_VDSO ? "vdso" : "elf";
	char *paths[2] = { build_id_cached(dso, kind), build_id_installed(dso, "") };
	bool found = false;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		if (!found && paths[i] && build_id_matches(dso, paths[i])) {
			load_from(dso, paths[i]);
			found = true;
		}
		free(paths[i]);
	}
	return found;
}

/* Load the recorded file through a process that still runs. */
static bool load_live(struct dso *dso)
{
	int fd = live_file_open(dso);
	char *path;

	if (fd < 0)
		return false;
	path = xasprintf("/proc/self/fd/%d", fd);
	load_from(dso, path);
	free(path);
	if (dso->code_fd >= 0)
		close(dso->code_fd);
	dso->code_fd = fd;
	return true;
}

/* Load the recorded file from the recording, see perf record --self-contained. */
static bool load_stored(const struct dso_set *set, struct dso *dso)
{
	int fd = stored_open(set, STORED_ELF, dso);
	char *path;
	bool good;

	if (fd < 0)
		return false;
	path = xasprintf("/proc/self/fd/%d", fd);
	good = !dso->id_size || build_id_matches(dso, path);
	if (good)
		load_from(dso, path);
	free(path);
	if (dso->code_fd >= 0)
		close(dso->code_fd);
	dso->code_fd = fd;
	return good;
}

/*
 * Return the path of a file on this machine, which the caller frees. With --symfs, the path is
 * below that directory, unless the file at the recorded path has the recorded build-id.
 */
static char *find_file(const struct dso_set *set, const struct dso *dso)
{
	const char *root = set->sources->symfs;

	if (!root || build_id_matches(dso, dso->path))
		return xstrdup(dso->path);
	return xasprintf("%s%s", root, dso->path);
}

/*
 * Note that a file does not exist. A file that was replaced while it ran has a mark of the
 * kernel.
 */
static void note_missing(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(path);

	if (length >= strlen(mark) && !strcmp(path + length - strlen(mark), mark))
		note_file(path, "deleted or replaced while it ran, its functions have no names",
			  "restart the program, and record again");
	else
		note_file(path, "not found, its functions have no names",
			  "use --symfs with the directory that has the files");
}

static void load_file(const struct dso_set *set, struct dso *dso, const char *path)
{
	uint8_t id[BUILD_ID_MAX];
	ssize_t size = elf_build_id(path, id);

	if (!dso->id_size) {
		if (load_stored(set, dso))
			return;
		/* If the recorded file had a build-id, the kernel would have recorded it. */
		if (size > 0 && set->has_mapped_ids)
			warn("%s: recorded without its build-id, it may be another file; not used",
			     path);
		else if (size >= 0)
			load_from(dso, path);
		else if (size == -ENOENT)
			note_missing(path);
		return;
	}
	if (build_id_matches(dso, path)) {
		load_from(dso, path);
		return;
	}
	if (load_kept(dso) || (!set->sources->symfs && load_live(dso)) || load_stored(set, dso))
		return;
	if (size == -ENOENT)
		note_missing(path);
	else if (size < 0)
		warn("%s: cannot read it: %s", path, open_failure(size));
	else
		warn("%s: not the file that was recorded (its build-id differs); not used", path);
}

/**
 * user_symbols_load() - Read the functions of a program or library
 * @set: set that contains @dso
 * @dso: program or library; gets the functions
 */
void user_symbols_load(const struct dso_set *set, struct dso *dso)
{
	char *path = find_file(set, dso);

	load_file(set, dso, path);
	free(path);
}

/**
 * vdso_open() - Copy the vdso of this process to a file in memory
 *
 * Return: Its descriptor, or -1.
 */
int vdso_open(void)
{
	const Elf64_Ehdr *vdso = (void *)getauxval(AT_SYSINFO_EHDR);
	size_t size;
	int fd;

	if (!vdso)
		return -1;
	/* The section headers are the last part of the vdso. */
	size = vdso->e_shoff + (size_t)vdso->e_shnum * vdso->e_shentsize;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, vdso, size) != (ssize_t)size) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/**
 * vdso_symbols_load() - Read the functions of the vdso
 * @set: set that contains @dso
 * @dso: vdso; the vdso of this process is used if it comes from the recorded kernel
 */
void vdso_symbols_load(struct dso_set *set, struct dso *dso)
{
	char *path;
	int fd;

	fd = vdso_open();
	if (fd < 0)
		return;
	path = xasprintf("/proc/self/fd/%d", fd);
	if (dso->id_size ? build_id_matches(dso, path) : kernel_is_running(set)) {
		load_from(dso, path);
		dso->code_fd = fd;
	} else {
		close(fd);
		if (!load_kept(dso))
			load_stored(set, dso);
	}
	free(path);
}

/**
 * user_file_open() - Open the recorded file of a dso while it still exists
 * @dso: dso; gets the build-id of the file if none came with the mapping
 *
 * Return: A descriptor, or a negative number.
 */
int user_file_open(struct dso *dso)
{
	int fd = open_regular(dso->path), copy;
	ssize_t size;

	if (!dso->id_size && fd >= 0) {
		copy = dup(fd);
		size = copy >= 0 ? elf_build_id_of(copy, dso->id) : -1;
		dso->id_size = size > 0 ? size : 0;
		return fd;
	}
	if (fd >= 0 && build_id_matches(dso, dso->path))
		return fd;
	if (fd >= 0)
		close(fd);
	return live_file_open(dso);
}
