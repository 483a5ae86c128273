/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files whose code is mapped in a recording, and their build-ids.
 */
#ifndef PERF_MAPPED_FILES_H
#define PERF_MAPPED_FILES_H

#include <stdbool.h>

#include "data_file.h"
#include "hash_table.h"

/* Files by name, each once. */
struct mapped_files {
	struct hash_table names;
};

/* Note the file of an MMAP or MMAP2 record; other records are left alone. */
void mapped_files_note(struct mapped_files *files, const struct perf_event_header *record);

/**
 * mapped_files_write_build_ids() - add the build-ids to a recording
 * @files: what was mapped
 * @w: the recording
 *
 * The files are looked at as they are now; files without build-id are left out.
 */
void mapped_files_write_build_ids(const struct mapped_files *files, struct data_writer *w);

void mapped_files_free(struct mapped_files *files);

#endif
