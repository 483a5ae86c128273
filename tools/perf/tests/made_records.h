/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes records and recordings byte by byte, for tests of code that reads them.
 * The tool's writer and decoder are not used.
 */
#ifndef PERF_TESTS_MADE_RECORDS_H
#define PERF_TESTS_MADE_RECORDS_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
	unsigned char data[65536];
	size_t size;
	size_t record;		/* offset of the current record */
};

static inline void put(struct bytes *b, const void *data, size_t size)
{
	if (size > sizeof(b->data) - b->size)
		abort();
	memcpy(b->data + b->size, data, size);
	b->size += size;
}

static inline void put16(struct bytes *b, uint16_t value)
{
	put(b, &value, sizeof(value));
}

static inline void put32(struct bytes *b, uint32_t value)
{
	put(b, &value, sizeof(value));
}

static inline void put64(struct bytes *b, uint64_t value)
{
	put(b, &value, sizeof(value));
}

/* Put a string with 1 to 8 zeros, up to a multiple of 8 bytes. */
static inline void put_string(struct bytes *b, const char *s)
{
	static const char zeros[8];

	put(b, s, strlen(s) + 1);
	put(b, zeros, -b->size & 7);
}

static inline void begin(struct bytes *b, uint32_t type, uint16_t misc)
{
	b->record = b->size;
	put32(b, type);
	put16(b, misc);
	put16(b, 0);
}

static inline void end(struct bytes *b)
{
	uint16_t size = b->size - b->record;

	memcpy(b->data + b->record + offsetof(struct perf_event_header, size), &size,
	       sizeof(size));
}

/* The sample_type of these recordings. */
#define SIMPLE_SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
			    PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
			    PERF_SAMPLE_CALLCHAIN)

static inline void simple_attr(struct perf_event_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_CPU_CLOCK;
	attr->sample_period = 1000;
	attr->sample_type = SIMPLE_SAMPLE_TYPE;
	attr->sample_id_all = 1;
}

/* Put the fields at the end of each side-band record with SIMPLE_SAMPLE_TYPE. */
static inline void put_id(struct bytes *b, uint32_t pid, uint32_t tid, uint64_t time, uint64_t id)
{
	put32(b, pid);
	put32(b, tid);
	put64(b, time);
	put32(b, 0);
	put32(b, 0);
	put64(b, id);
}

static inline void put_comm(struct bytes *b, uint32_t pid, uint32_t tid, const char *comm,
			    uint16_t misc, uint64_t time, uint64_t id)
{
	begin(b, PERF_RECORD_COMM, misc);
	put32(b, pid);
	put32(b, tid);
	put_string(b, comm);
	put_id(b, pid, tid, time, id);
	end(b);
}

static inline void put_mmap(struct bytes *b, uint16_t misc, uint32_t pid, uint64_t start,
			    uint64_t size, uint64_t pgoff, const char *name, uint64_t time,
			    uint64_t id)
{
	begin(b, PERF_RECORD_MMAP, misc);
	put32(b, pid);
	put32(b, pid);
	put64(b, start);
	put64(b, size);
	put64(b, pgoff);
	put_string(b, name);
	put_id(b, pid, pid, time, id);
	end(b);
}

/* Put a MUNMAP record, with the type that the kernel uses. */
static inline void put_munmap(struct bytes *b, uint16_t misc, uint32_t pid, uint64_t start,
			      uint64_t size, const char *name, uint64_t time, uint64_t id)
{
	static const uint32_t type = 0x40000000;

	put_mmap(b, misc, pid, start, size, 0, name, time, id);
	memcpy(b->data + b->record, &type, sizeof(type));
}

static inline void put_mmap2(struct bytes *b, uint32_t pid, uint64_t start, uint64_t size,
			     uint64_t pgoff, const char *name, uint64_t time, uint64_t id)
{
	begin(b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put32(b, pid);
	put32(b, pid);
	put64(b, start);
	put64(b, size);
	put64(b, pgoff);
	put32(b, 8);
	put32(b, 1);
	put64(b, 4711);
	put64(b, 0);
	put32(b, 5);
	put32(b, 2);
	put_string(b, name);
	put_id(b, pid, pid, time, id);
	end(b);
}

static inline void put_task(struct bytes *b, uint32_t type, uint32_t pid, uint32_t ppid,
			    uint32_t tid, uint32_t ptid, uint64_t time, uint64_t id)
{
	begin(b, type, 0);
	put32(b, pid);
	put32(b, ppid);
	put32(b, tid);
	put32(b, ptid);
	put64(b, time);
	put_id(b, ppid, ptid, time, id);
	end(b);
}

static inline void put_lost(struct bytes *b, uint64_t lost, uint64_t time, uint64_t id)
{
	begin(b, PERF_RECORD_LOST, 0);
	put64(b, id);
	put64(b, lost);
	put_id(b, 1, 1, time, id);
	end(b);
}

static inline void put_lost_samples(struct bytes *b, uint64_t lost, uint64_t time, uint64_t id)
{
	begin(b, PERF_RECORD_LOST_SAMPLES, 0);
	put64(b, lost);
	put_id(b, 1, 1, time, id);
	end(b);
}

static inline void put_sample(struct bytes *b, uint16_t misc, uint32_t pid, uint32_t tid,
			      uint64_t time, uint64_t id, uint64_t period,
			      const uint64_t *chain, size_t nr)
{
	size_t i;

	begin(b, PERF_RECORD_SAMPLE, misc);
	put64(b, id);
	/* The first entry of a chain is the mode, the second is the instruction pointer. */
	put64(b, nr > 1 ? chain[1] : 0);
	put32(b, pid);
	put32(b, tid);
	put64(b, time);
	put32(b, 0);
	put32(b, 0);
	put64(b, period);
	put64(b, nr);
	for (i = 0; i < nr; i++)
		put64(b, chain[i]);
	end(b);
}

#endif
