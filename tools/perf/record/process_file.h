/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Build-ids of files as a process sees them: in a container, a path is another file.
 */
#ifndef PERF_RECORD_PROCESS_FILE_H
#define PERF_RECORD_PROCESS_FILE_H

#include "file/file.h"
#include "util/util.h"

/* What was found, by device and inode: most processes have the same libraries. */
struct process_files {
	struct hash_table known;
};

/**
 * process_file_build_id() - the build-id of what a process has mapped
 * @files: what is known already; all zeros at first
 * @m: the mapping: process, addresses, device, inode and name
 * @id: where to
 *
 * Return: its size; 0 if it has none; a negative errno if it cannot be told.
 */
ssize_t process_file_build_id(struct process_files *files, const struct mmap2_fields *m,
			      uint8_t id[BUILD_ID_MAX]);

/**
 * process_path_build_id() - the build-id of what a path is for a process
 * @pid: the process, if it still runs; else the path is taken as ours
 * @path: the path
 * @id: where to
 *
 * Return: as process_file_build_id().
 */
ssize_t process_path_build_id(uint32_t pid, const char *path, uint8_t id[BUILD_ID_MAX]);

void process_files_free(struct process_files *files);

#endif
