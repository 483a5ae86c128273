/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decoding the records that the kernel writes into ring buffers.
 *
 * The contents of a record depend on the sample_type, read_format and sample_id_all of its
 * event; see <linux/perf_event.h>, enum perf_event_type.
 */
#ifndef PERF_FILE_DECODE_H
#define PERF_FILE_DECODE_H

#include <linux/perf_event.h>

#include "event_table.h"
#include "munmap_form.h"

/*
 * Callers in user mode that are recorded when the task returns there, since Linux 6.19: a mark in
 * chains, which a cookie follows, and a record with the cookie and the rest of the chain.
 */
#define CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define RECORD_CALLCHAIN_DEFERRED 22

/* Bytes of a BPF program's tag: a hash of its instructions. */
#define BPF_TAG_SIZE 8

/* The thread, time and CPU of a record: at the end of side-band records, within samples. */
struct record_id {
	uint32_t pid;
	uint32_t tid;
	uint64_t time;		/* ns; 0: not known */
	uint64_t id;
	uint64_t stream_id;
	uint32_t cpu;
	bool has_tid;
	bool has_cpu;
};

/* One value of a counter. */
struct read_value {
	uint64_t value;
	uint64_t id;
	uint64_t lost;
};

/* The values of a counter or a group in a record, in the format of read(). */
struct read_values {
	uint64_t time_enabled;	/* ns */
	uint64_t time_running;	/* ns */
	uint64_t nr;
	const uint64_t *words;	/* @nr times the words that read_format selects */
	uint64_t format;
};

/* Saved registers; pointers point into the record. */
struct sample_regs {
	uint64_t abi;		/* 0: no registers were saved */
	uint64_t mask;		/* bit i: register i was saved */
	const void *values;	/* a uint64_t for each bit, perhaps not aligned */
};

/* The index of the youngest branch record is not known. */
#define BRANCH_NO_INDEX UINT64_MAX

/**
 * struct branch_stack - the branch records of a sample, the youngest first
 * @type: attr.branch_sample_type of the event; 0: no branch records
 * @nr: number of records
 * @entries: array of struct perf_branch_entry, perhaps not aligned; see branch_get()
 * @hw_idx: index of the register that had the youngest, or BRANCH_NO_INDEX
 */
struct branch_stack {
	uint64_t type;
	uint64_t nr;
	const void *entries;
	uint64_t hw_idx;
};

struct sample {
	uint64_t ip;
	uint64_t addr;
	uint64_t period;
	struct read_values read;
	const uint64_t *chain;	/* instruction pointers and PERF_CONTEXT_ marks */
	uint64_t chain_nr;
	uint64_t weight;
	uint64_t data_src;
	uint64_t transaction;
	uint64_t phys_addr;
	uint64_t cgroup;
	uint64_t data_page_size;
	uint64_t code_page_size;
	struct branch_stack branches;
	const void *raw;	/* @raw_size bytes, perhaps not aligned */
	uint32_t raw_size;
	const void *user_stack;		/* @user_stack_size bytes, perhaps not aligned */
	uint64_t user_stack_size;
	uint64_t user_stack_used;	/* bytes that the kernel could read */
	bool stack_dropped;		/* the event has stacks, but not the sample */
	struct sample_regs user_regs;
	struct sample_regs intr_regs;
};

struct mmap_record {
	uint32_t pid;
	uint32_t tid;
	uint64_t start;
	uint64_t len;
	uint64_t pgoff;
	uint32_t prot;
	uint32_t flags;
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
	uint64_t ino_generation;
	const uint8_t *build_id;
	size_t build_id_size;	/* 0: the record has none */
	bool has_inode;
	const char *filename;
};

struct task_record {		/* FORK, EXIT */
	uint32_t pid;
	uint32_t ppid;
	uint32_t tid;
	uint32_t ptid;
	uint64_t time;		/* ns */
};

struct comm_record {
	uint32_t pid;
	uint32_t tid;
	const char *comm;
	bool exec;
};

struct read_record {
	uint32_t pid;
	uint32_t tid;
	struct read_values values;
};

/* A namespace, as a link in /proc/PID/ns names it. */
struct namespace_link {
	uint64_t dev;
	uint64_t ino;
};

/*
 * struct record - a decoded record; pointers point into its bytes
 * @type: enum perf_event_type or PERF_RECORD_MUNMAP; selects the member of the union
 * @misc: header.misc, for MUNMAP as the kernel wrote it
 * @event: index of the event of the record
 * @id: thread, time and CPU
 */
struct record {
	uint32_t type;
	uint16_t misc;
	size_t event;
	struct record_id id;
	union {
		struct sample sample;
		struct mmap_record mmap;	/* MMAP, MMAP2, MUNMAP */
		struct comm_record comm;
		struct task_record task;	/* FORK, EXIT */
		struct read_record read;
		struct {
			uint64_t id;		/* id of the counter */
			uint64_t lost;
		} lost;				/* LOST, LOST_SAMPLES */
		struct {
			uint64_t time;
			uint64_t id;
			uint64_t stream_id;
		} throttle;			/* THROTTLE, UNTHROTTLE */
		struct {
			uint64_t offset;
			uint64_t size;
			uint64_t flags;
		} aux;
		struct {
			uint32_t pid;
			uint32_t tid;
		} task_id;			/* ITRACE_START, SWITCH_CPU_WIDE */
		struct {
			uint32_t pid;
			uint32_t tid;
			uint64_t nr;
			const struct namespace_link *links;
		} namespaces;
		struct {
			uint64_t addr;
			uint32_t len;
			uint16_t type;
			uint16_t flags;
			const char *name;
		} ksymbol;
		struct {
			uint16_t type;
			uint16_t flags;
			uint32_t id;
			const uint8_t *tag;	/* BPF_TAG_SIZE bytes */
		} bpf;
		struct {
			uint64_t id;
			const char *path;
		} cgroup;
		struct {
			uint64_t addr;
			uint16_t old_len;
			uint16_t new_len;
			const uint8_t *old;
			const uint8_t *new;
		} text_poke;
		uint64_t hw_id;			/* AUX_OUTPUT_HW_ID */
		struct {
			uint64_t cookie;
			uint64_t nr;
			const uint64_t *chain;
		} deferred;			/* CALLCHAIN_DEFERRED */
	};
};

enum record_decoded {
	RECORD_OK,
	RECORD_UNKNOWN,		/* unknown type */
	RECORD_STRAY,		/* a sample with the id of no event */
	RECORD_BAD,		/* the contents contradict the size or the event */
};

enum record_decoded record_decode(const struct event_table *events,
				  const struct perf_event_header *header, struct record *record);
size_t record_id_size(uint64_t sample_type);
uint64_t record_side_band_time(const struct perf_event_attr *attr,
			       const struct perf_event_header *header);
uint64_t record_time(const struct event_table *events, const struct perf_event_header *header);
bool branches_are_calls(uint64_t type);
struct perf_branch_entry branch_get(const struct branch_stack *stack, uint64_t i);
void read_values_get(const struct read_values *values, uint64_t i, struct read_value *value);

#endif
