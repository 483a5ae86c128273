/* SPDX-License-Identifier: GPL-2.0 */
/* The files with executable mappings in a recording, and their build-ids. */
#ifndef PERF_RECORD_MAPPED_FILES_H
#define PERF_RECORD_MAPPED_FILES_H

#include <stdbool.h>

#include "util/util.h"
#include "writer.h"

/* Files by name, each once. */
struct mapped_files {
	struct hash_table names;
};

/* Note the file of an MMAP or MMAP2 record; other records are ignored. */
void mapped_files_note(struct mapped_files *files, const struct perf_event_header *record);

/**
 * mapped_files_write_build_ids() - add the build-ids of the files to a recording
 * @files: mapped files
 * @w: recording
 *
 * If the mappings had no build-ids, they are read from the files as they are now, as the
 * processes that still run see them. Files without a build-id are left out, as are names that
 * several files had.
 */
void mapped_files_write_build_ids(const struct mapped_files *files, struct data_writer *w);

void mapped_files_free(struct mapped_files *files);

#endif
