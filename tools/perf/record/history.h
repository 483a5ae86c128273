/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names that threads have got and what processes have mapped, each with its time.
 */
#ifndef PERF_RECORD_HISTORY_H
#define PERF_RECORD_HISTORY_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "util/util.h"

/**
 * struct history - all zeros: nothing is known
 * @comms: names, by thread
 * @maps: mappings, by process
 */
struct history {
	struct hash_table comms;
	struct hash_table maps;
};

/**
 * struct mapping - what an MMAP record says
 * @pid: whose it is
 * @start: first address
 * @last: last address
 * @to_file: added to an address: the place in the file
 * @of_file: it is of a file; else the records of it may have different places
 * @data: it cannot be executed
 */
struct mapping {
	uint32_t pid;
	uint64_t start, last;
	uint64_t to_file;
	bool of_file, data;
};

/* What a record says that has all the fields of struct mmap_fields. */
struct mapping mapping_of(const struct perf_event_header *record);

/* A thread got a name at this time. */
void history_add_comm(struct history *h, uint32_t tid, const char *name, uint64_t time);

/* A process, that of the mapping, mapped it at this time. */
void history_add_map(struct history *h, const struct mapping *map, uint64_t time);

/* Had a thread got this name before some time? With NULL: had it got any? */
bool history_has_comm(const struct history *h, uint32_t tid, const char *name, uint64_t until);

/* Had process @pid mapped what @map says before some time, by itself or within more? */
bool history_has_map(const struct history *h, const struct mapping *map, uint32_t pid,
		     uint64_t until);

void history_free(struct history *h);

#endif
