/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records that are not samples, as the ABI lays them out; a sample_id may
 * follow each. And a log of everything that a mapping received, in the order of
 * time: it has several rings, or several CPUs that write to one.
 */
#ifndef PC_SIDE_H
#define PC_SIDE_H

#include "pc_ring.h"

struct comm_record {
	struct perf_event_header header;
	__u32 pid, tid;
	char comm[];
};

/* MUNMAP has the same layout. */
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

/* FORK and EXIT. */
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

/* SWITCH_CPU_WIDE; SWITCH has the header alone. */
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

/* A record of a log, in one piece; samples are taken apart by pc_parse_sample(). */
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

/* Memory that is there before anything is recorded: taking records takes no faults. */
static inline int pc_log_open(struct pc_log *log, size_t size)
{
	memset(log, 0, sizeof(*log));
	log->size = size;
	log->max = size / 32;
	log->bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	log->entries = mmap(NULL, log->max * sizeof(*log->entries), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	return log->bytes == MAP_FAILED || log->entries == MAP_FAILED ? -1 : 0;
}

static inline void pc_log_close(struct pc_log *log)
{
	if (log->bytes) {
		munmap(log->bytes, log->size);
		munmap(log->entries, log->max * sizeof(*log->entries));
	}
	log->bytes = NULL;
}

static inline void pc_log_clear(struct pc_log *log)
{
	log->used = 0;
	log->n = 0;
	log->lost = 0;
}

/*
 * Takes what is in a ring to the log. The attr has sample_id_all, and the time
 * among its sample fields. Returns 0, or -1 for a record that does not parse, or
 * when the log is full.
 */
static inline int pc_log_take(struct pc_log *log, struct pc_ring *r,
			      const struct perf_counter_attr *attr)
{
	static struct pc_sample sample;
	static union pc_record record;

	while (pc_ring_next(r, &record)) {
		if (log->n == log->max || log->used + record.header.size > log->size)
			return -1;
		if (record.header.type == PERF_RECORD_SAMPLE) {
			if (!pc_parse_sample(attr, &record, &sample))
				return -1;
		} else {
			pc_parse_id(attr, &record, &sample);
		}
		if (record.header.type == PERF_RECORD_LOST)
			log->lost += record.words[2];
		memcpy(log->bytes + log->used, &record, record.header.size);
		log->entries[log->n].time = sample.time;
		log->entries[log->n].rec = (void *)(log->bytes + log->used);
		log->used += record.header.size;
		log->n++;
	}
	return 0;
}

/* What was taken first is first among equals: it is at a lower address. */
static inline int pc_log_order(const void *a, const void *b)
{
	const struct pc_entry *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->rec < y->rec ? -1 : 1;
}

static inline void pc_log_sort(struct pc_log *log)
{
	qsort(log->entries, log->n, sizeof(*log->entries), pc_log_order);
}

#endif /* PC_SIDE_H */
