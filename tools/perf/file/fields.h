/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the fields of records are, as enum perf_event_type in <linux/perf_event.h> has them:
 * for those who write records, or want one field of each of many. Who wants to know what a
 * record says has it decoded.
 */
#ifndef PERF_FILE_FIELDS_H
#define PERF_FILE_FIELDS_H

#include <linux/perf_event.h>
#include <stdint.h>

/* MMAP, and MUNMAP. MMAP2 starts alike. */
struct mmap_fields {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	char filename[];
};

struct mmap2_fields {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t prot, flags;
	char filename[];
};

struct comm_fields {
	struct perf_event_header header;
	uint32_t pid, tid;
	char comm[];
};

/* FORK and EXIT. */
struct task_fields {
	struct perf_event_header header;
	uint32_t pid, ppid;
	uint32_t tid, ptid;
	uint64_t time;
};

struct namespaces_fields {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t nr;
	struct perf_ns_link_info links[];
};

struct cgroup_fields {
	struct perf_event_header header;
	uint64_t id;
	char path[];
};

struct lost_fields {
	struct perf_event_header header;
	uint64_t id;
	uint64_t lost;
};

/**
 * mmap_filename() - the name in a record
 * @record: an MMAP, MMAP2 or MUNMAP record
 *
 * Return: the name, which ends within the record, or NULL where it does not.
 */
const char *mmap_filename(const struct perf_event_header *record);

#endif
