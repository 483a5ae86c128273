/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of an address space. MMAP2 and MUNMAP records change it: an MMAP2 replaces the ranges
 * that it overlaps, a MUNMAP removes its range. Then it is compared with /proc/PID/maps.
 */
#ifndef PC_MAPS_H
#define PC_MAPS_H

#include "pc_side.h"
#include "pc_work.h"

#define RX	(PROT_READ | PROT_EXEC)
#define RW	(PROT_READ | PROT_WRITE)
#define RWX	(PROT_READ | PROT_WRITE | PROT_EXEC)

#define PC_NO_PGOFF	(~0ULL)
#define PC_MAX_MAPS	4096

/* A range of addresses. */
struct pc_map {
	__u64 start, end;
	__u64 pgoff;		/* offset in the file in bytes, or PC_NO_PGOFF if it is unknown */
	__u64 ino;
	__u32 maj, min;
	__u32 prot;
	bool shared;
	const char *name;	/* equal names are the same pointer */
};

/* An address space: ranges in ascending order that do not overlap. */
struct pc_maps {
	int n;
	struct pc_map map[PC_MAX_MAPS];
};

/* The record that a test has taken out of a buffer, by its type. */
union pc_map_record {
	union pc_record any;
	struct perf_event_header header;
	struct mmap_record mmap;	/* MMAP and MUNMAP */
	struct mmap2_record mmap2;
	struct task_record task;
};

/* Attributes of a counter that asks for MMAP2 and MUNMAP records. */
struct perf_counter_attr pc_maps_attr(void);

/* Open a counter of a task, map its buffer and enable it. Returns 0 or -1. */
int pc_maps_start(struct perf_counter_attr *attr, pid_t pid, struct pc_ring *ring, int *fd);

/* Create a file in memory that may be executed. Returns a descriptor or -1. */
int pc_exec_file(const char *name, int pages);

/* Map a private range at @at, or anywhere if @at is NULL; anonymous memory if @file is -1. */
char *pc_map_at(void *at, __u64 len, int prot, int file, __u64 pgoff);

/* The address of @pages unmapped pages where the kernel puts no mapping; NULL on failure. */
char *pc_map_room(int pages);

/* Read the ranges in /proc/PID/maps. Returns 0 or -1. */
int pc_maps_read(pid_t pid, struct pc_maps *maps);

/* Read the ranges in an open /proc/PID/maps without allocating memory. Returns 0 or -1. */
int pc_maps_read_fd(int fd, struct pc_maps *maps);

/* Remove the ranges that are not executable. */
void pc_maps_keep_executable(struct pc_maps *maps);

/* Apply an MMAP2 or MUNMAP. Returns NULL, or a description of what is wrong with the record. */
const char *pc_maps_apply(struct pc_maps *maps, const struct mmap_record *m);

/*
 * Compare a model with the ranges of a process, between two addresses; executable ranges only,
 * unless @all is set. Returns NULL, or a description of the first difference.
 */
const char *pc_maps_compare(const struct pc_maps *model, const struct pc_maps *maps, bool all,
			    __u64 lo, __u64 hi);

/*
 * Take the next record out of a buffer and compare it with the arguments. The caller checks the
 * protection and the flags. Returns NULL if the record is as expected, or a description of the
 * record.
 */
const char *pc_maps_next(struct pc_ring *ring, union pc_map_record *rec, __u32 type, __u16 misc,
			 const void *addr, __u64 len, __u64 pgoff, const char *name);

/* Format a description of an error in a static buffer. Returns the description. */
const char *pc_maps_wrong(const char *format, ...);

/* Raise the number of huge pages to at least 4, if there is memory for them. */
void pc_huge_pages_get(void);

/* Restore the number of huge pages. */
void pc_huge_pages_put(void);

/* The number of huge pages; 0 on kernels without huge pages. */
long pc_huge_pages(void);

/* These macros take the next record out of self->ring into self->rec and compare it. */
#define EXPECT_RECORD(type, misc, addr, len, pgoff, name)			\
	EXPECT_RIGHT(pc_maps_next(&self->ring, &self->rec, type, misc, addr, len, pgoff, name))

#define EXPECT_MMAP2(addr, len, pgoff, name)					\
	EXPECT_RECORD(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, addr, len, pgoff, name)

#define EXPECT_MUNMAP(addr, len, pgoff, name)					\
	EXPECT_RECORD(PERF_RECORD_MUNMAP, PERF_RECORD_MISC_USER, addr, len, pgoff, name)

#define EXPECT_NO_RECORD()							\
	do {									\
		bool __more = pc_ring_next(&self->ring, &self->rec.any);	\
										\
		EXPECT_FALSE(__more)						\
			TH_LOG("a record of type %#x: %#llx + %#llx",		\
			       self->rec.header.type, self->rec.mmap.addr,	\
			       self->rec.mmap.len);				\
	} while (0)

#endif /* PC_MAPS_H */
