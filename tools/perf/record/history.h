/* SPDX-License-Identifier: GPL-2.0 */
/* The names and mappings that threads and processes received, each with its time. */
#ifndef PERF_RECORD_HISTORY_H
#define PERF_RECORD_HISTORY_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "util/util.h"

/**
 * struct history - names and mappings; initially all zeros
 * @comms: names, by thread
 * @maps: mappings, by process
 */
struct history {
	struct hash_table comms;
	struct hash_table maps;
};

/**
 * struct mapping - the contents of an MMAP record
 * @pid: process
 * @start: first address
 * @last: last address
 * @to_file: difference from an address to its offset in the file
 * @of_file: the mapping is of a file; otherwise offsets may differ between records of the same
 *	mapping
 * @data: the mapping is not executable
 */
struct mapping {
	uint32_t pid;
	uint64_t start, last;
	uint64_t to_file;
	bool of_file, data;
};

/* Convert a record that has the fields of struct mmap_fields. */
struct mapping mapping_of(const struct perf_event_header *record);

/* Add a name that a thread received at @time. */
void history_add_comm(struct history *h, uint32_t tid, const char *name, uint64_t time);

/* Add a mapping of a process at @time. */
void history_add_map(struct history *h, const struct mapping *map, uint64_t time);

/* Return true if a thread received this name, or any name if @name is NULL, before @until. */
bool history_has_comm(const struct history *h, uint32_t tid, const char *name, uint64_t until);

/* Return true if process @pid mapped @map, as a whole or as a part, before @until. */
bool history_has_map(const struct history *h, const struct mapping *map, uint32_t pid,
		     uint64_t until);

void history_free(struct history *h);

#endif
