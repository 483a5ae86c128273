/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Build-ids of files as a process sees them: in a container, a path may lead to another file.
 */
#ifndef PERF_RECORD_PROCESS_FILE_H
#define PERF_RECORD_PROCESS_FILE_H

#include "file/file.h"
#include "util/util.h"

/* A cache of build-ids by device and inode, as most processes map the same libraries. */
struct process_files {
	struct hash_table known;
};

/**
 * process_file_build_id() - read the build-id of a mapped file
 * @files: cache; initially all zeros
 * @m: mapping: process, addresses, device, inode and name
 * @id: receives the build-id
 *
 * Return: the size of the build-id; 0 if the file has none; a negative errno if it cannot be
 *   read.
 */
ssize_t process_file_build_id(struct process_files *files, const struct mmap2_fields *m,
			      uint8_t id[BUILD_ID_MAX]);

/**
 * process_path_build_id() - read the build-id of the file at a path, as a process sees it
 * @pid: process; if it has exited, the path is used as perf itself sees it
 * @path: path of the file
 * @id: receives the build-id
 *
 * Return: the value of process_file_build_id().
 */
ssize_t process_path_build_id(uint32_t pid, const char *path, uint8_t id[BUILD_ID_MAX]);

void process_files_free(struct process_files *files);

#endif
