/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The layout of records, from enum perf_event_type in <linux/perf_event.h>: for code that
 * writes records, or needs one field of many records. decode.h decodes whole records.
 */
#ifndef PERF_FILE_FIELDS_H
#define PERF_FILE_FIELDS_H

#include <linux/perf_event.h>
#include <stdint.h>

/* MMAP and MUNMAP; MMAP2 begins with the same fields. */
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
 * mmap_filename() - get the file name of a mapping
 * @record: MMAP, MMAP2 or MUNMAP record
 *
 * Return: the name, or NULL if it does not end within the record.
 */
const char *mmap_filename(const struct perf_event_header *record);

#endif
