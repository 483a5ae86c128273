// SPDX-License-Identifier: GPL-2.0
/*
 * Files of processes that still run, as these processes see them.
 *
 * /proc/PID/map_files leads to the mapped files themselves, whatever has happened to their paths;
 * only root may use it. /proc/PID/exe leads to the program, and /proc/PID/root to the files that
 * have the paths now.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/util.h"
#include "live_file.h"

#define DELETED " (deleted)"

void dso_note_process(struct dso *dso, uint32_t pid)
{
	size_t i;

	for (i = 0; i < DSO_PROCESSES; i++) {
		if (dso->pids[i] == pid)
			return;
	}
	/* The latest processes are the most likely ones to run still. */
	dso->pids[dso->next_pid++ % DSO_PROCESSES] = pid;
}

/* Return @fd if it is the recorded file; otherwise close it and return -1. */
static int if_recorded(const struct dso *dso, int fd)
{
	uint8_t id[BUILD_ID_MAX];
	int copy;

	if (fd < 0)
		return -1;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy >= 0 && elf_build_id_of(copy, id) == (ssize_t)dso->id_size &&
	    !memcmp(id, dso->id, dso->id_size))
		return fd;
	close(fd);
	return -1;
}

/* Return true if a link of map_files leads to @path, which may have been deleted since. */
static bool leads_to(int directory, const char *name, const char *path)
{
	size_t length = strlen(path);
	char target[PATH_MAX + sizeof(DELETED)];
	ssize_t n = readlinkat(directory, name, target, sizeof(target) - 1);

	if (n < 0)
		return false;
	target[n] = '\0';
	return !strncmp(target, path, length) &&
	       (!target[length] || !strcmp(target + length, DELETED));
}

static int open_mapped(const struct dso *dso, const char *process)
{
	char *path = xasprintf("%s/map_files", process), *file;
	DIR *directory = opendir(path);
	struct dirent *entry;
	int fd = -1;

	while (fd < 0 && directory && (entry = readdir(directory))) {
		if (!leads_to(dirfd(directory), entry->d_name, dso->path))
			continue;
		file = xasprintf("%s/%s", path, entry->d_name);
		fd = if_recorded(dso, open_linked_file(file));
		free(file);
		/* All mappings of the path are most likely of one file. */
		break;
	}
	if (directory)
		closedir(directory);
	free(path);
	return fd;
}

static int open_of_process(const struct dso *dso, uint32_t pid)
{
	char *process = xasprintf("/proc/%u", pid), *exe = xasprintf("%s/exe", process);
	struct stat st;
	int fd;

	fd = open_mapped(dso, process);
	if (fd < 0)
		fd = if_recorded(dso, open_in_root(pid, dso->path, &st));
	if (fd < 0)
		fd = if_recorded(dso, open_linked_file(exe));
	free(exe);
	free(process);
	return fd;
}

int live_file_open(const struct dso *dso)
{
	int fd = -1;
	size_t i;

	for (i = 0; fd < 0 && dso->id_size && i < DSO_PROCESSES; i++) {
		if (dso->pids[i])
			fd = open_of_process(dso, dso->pids[i]);
	}
	return fd;
}
