/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Side-band records, and a log of all records of a mapping in the order of their time. Without
 * the log, records of several sub-rings or of several CPUs are not in this order.
 *
 * A sample_id may follow each side-band record.
 */
#ifndef PC_SIDE_H
#define PC_SIDE_H

#include "pc_ring.h"

struct comm_record {
	struct perf_event_header header;
	__u32 pid, tid;
	char comm[];
};

/* The layout of MMAP and MUNMAP records. */
struct mmap_record {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 addr, len, pgoff;
	char filename[];
};

struct mmap2_record {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 addr, len, pgoff;
	union {
		struct {
			__u32 maj, min;
			__u64 ino, ino_generation;
		};
		struct {
			__u8 build_id_size;
			__u8 reserved[3];
			__u8 build_id[20];
		};
	};
	__u32 prot, flags;
	char filename[];
};

/* The layout of FORK and EXIT records. */
struct task_record {
	struct perf_event_header header;
	__u32 pid, ppid;
	__u32 tid, ptid;
	__u64 time;
};

struct read_record {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 values[];
};

/* The layout of a SWITCH_CPU_WIDE record. A SWITCH record consists of its header. */
struct switch_record {
	struct perf_event_header header;
	__u32 next_prev_pid, next_prev_tid;
};

struct namespaces_record {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 nr;
	struct {
		__u64 dev, ino;
	} links[];
};

struct cgroup_record {
	struct perf_event_header header;
	__u64 id;
	char path[];
};

struct ksymbol_record {
	struct perf_event_header header;
	__u64 addr;
	__u32 len;
	__u16 type, flags;
	char name[];
};

struct bpf_record {
	struct perf_event_header header;
	__u16 type, flags;
	__u32 id;
	__u8 tag[8];
};

struct poke_record {
	struct perf_event_header header;
	__u64 addr;
	__u16 old_len, new_len;
	__u8 bytes[];
};

/* A record of a log. */
struct pc_entry {
	__u64 time;
	const union pc_record *rec;
};

struct pc_log {
	char *bytes;
	size_t used, size;
	struct pc_entry *entries;
	int n, max;
	__u64 lost;
};

/*
 * Allocate and populate a log of @size bytes: pc_log_take() takes no page faults. Returns 0 or -1.
 */
int pc_log_open(struct pc_log *log, size_t size);

/* Remove all records. */
void pc_log_clear(struct pc_log *log);

/*
 * Move the records of a ring to the log. The attr has sample_id_all and PERF_SAMPLE_TIME. Returns
 * 0, or -1 if a record does not parse or the log is full.
 */
int pc_log_take(struct pc_log *log, struct pc_ring *r, const struct perf_counter_attr *attr);

/* Sort the records by their time. */
void pc_log_sort(struct pc_log *log);

#endif /* PC_SIDE_H */
